"""Explains what ``torch.compile`` makes of a function: calls it once, and looks on."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import CodeType
from typing import Any

import torch
from torch import fx

from jaxvstorch.explainer import statements
from jaxvstorch.explainer.assemble import Seen
from jaxvstorch.explainer.explanation import Program
from jaxvstorch.explainer.operations import Place, count, letter
from jaxvstorch.explainer.own import OwnCode
from jaxvstorch.explainer.recorder import Recorder
from jaxvstorch.explainer.subject import Subject
from jaxvstorch.explainer.torch import private, program
from jaxvstorch.explainer.visits import Visits

_RESUMED = "torch_dynamo_resume_in_"


@dataclass
class Reading:
    """The lines that Dynamo read of one function, in one attempt to compile something.

    Attributes:
        code: the function's, or that of what is left of it after a graph break.
        names: its globals.
        variables: its arguments and closure, where Dynamo knows them as values.
        visits: how often it read each statement.
    """

    code: CodeType
    names: dict[str, Any]
    variables: dict[str, Any]
    visits: Visits

    def lines(self) -> set[int]:
        """Every line of the statements read."""
        text = statements.read(self.code.co_filename)
        begins = text.begins if text else {}
        return {n for n, first in begins.items() if first in self.visits.counts}


@dataclass
class Traced:
    """What one call of a compiled function showed.

    Attributes:
        graphs: what was handed to the backend, in order.
        inputs: the inputs of each.
        guards: what is guarded by value, in all of them.
        readings: what Dynamo read, by what it compiled; of its attempts only the last.
        breaks: the reasons of the graph breaks.
        error: what the call ended with.
    """

    graphs: list[fx.GraphModule] = field(default_factory=list)
    inputs: list[list[Any]] = field(default_factory=list)
    guards: set[str] = field(default_factory=set)
    readings: dict[Any, dict[Any, Reading]] = field(default_factory=dict)
    attempts: dict[Any, int] = field(default_factory=dict)
    breaks: list[Any] = field(default_factory=list)
    error: Exception | None = None
    is_graph_running: bool = False

    def is_apart(self) -> bool:
        """Whether what Python runs now belongs to Dynamo or to a graph, not to the function."""
        return self.is_graph_running or private.attempt()[0] is not None

    def all_readings(self) -> list[Reading]:
        """The functions that Dynamo read, in order."""
        return [r for by_translator in self.readings.values() for r in by_translator.values()]


def trace(
    subject: Subject, traced: Traced, recorder: Recorder, begin: Callable[[Reading], None]
) -> None:
    """Compile and call a function once; each graph is run as it is, without Inductor.

    Args:
        subject: the function and its arguments.
        traced: filled with what the call shows.
        recorder: looks on, and leaves out what runs while ``traced.is_apart()``.
        begin: called when Dynamo begins to read a function.
    """

    def keep(graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        traced.graphs.append(graph)
        traced.inputs.append(inputs)
        traced.guards |= private.guards()
        return partial(_run, traced, graph)

    def read(translator: Any, code: CodeType, line: int) -> None:
        compiling, attempt = private.attempt()
        if traced.attempts.get(compiling) != attempt:
            traced.attempts[compiling] = attempt
            traced.readings[compiling] = {}
            begin_compiling(code, translator.f_globals)
        reading = traced.readings[compiling].get(translator)
        if reading is None:
            variables = dict(getattr(translator, "f_locals", None) or {})
            reading = Reading(
                code,
                translator.f_globals,
                variables,
                Visits(code.co_name, statements.read(code.co_filename)),
            )
            traced.readings[compiling][translator] = reading
            begin(reading)
        reading.visits.line(line, translator.instruction_pointer or 0)

    function = subject.function
    original = getattr(function, "_torchdynamo_orig_callable", None)
    original = original or getattr(function, "_orig_mod", function)
    options = private.options(function)
    private.leave_alone(*recorder.trace_functions)
    with (
        private.undone(keep) as begin_compiling,
        private.module_restored(original),
        private.lines_traced(read),
        warnings.catch_warnings(),
    ):
        # What Dynamo warns of when it breaks a graph is told as a finding.
        warnings.filterwarnings("ignore", module=r"torch\._dynamo")
        try:
            with recorder:
                torch.compile(original, backend=keep, **options)(*subject.args, **subject.kwargs)
        except Exception as error:  # of the function: it is part of what is explained
            traced.error = error
        traced.breaks = private.breaks()


def _run(traced: Traced, graph: fx.GraphModule, *inputs: Any) -> Any:
    traced.is_graph_running = True
    try:
        return graph.forward(*inputs)
    finally:
        traced.is_graph_running = False


def look(traced: Traced, recorder: Recorder, own: OwnCode) -> tuple[Seen, tuple[Program, ...]]:
    """What the call says of the lines, and the programs."""
    seen = Seen(python=set(recorder.visits))
    for reason in traced.breaks:
        places = [(f.filename, f.lineno) for f in reason.user_stack if own.has(f.filename)]
        seen.python.update(places)
    for reading in traced.all_readings():
        _add(seen, reading, own)
    for entered, times in recorder.runs.items():
        if entered not in seen.runs:
            seen.runs[entered] = times
    programs = []
    for number, graph in enumerate(traced.graphs):
        name = letter(number)
        found = list(program.operations(graph, name, own.has))
        seen.operations += found
        programs.append(Program(name, count(found), graph.code.strip()))
    return seen, tuple(programs)


def _add(seen: Seen, reading: Reading, own: OwnCode) -> None:
    file = reading.code.co_filename
    if not own.has(file):
        return
    if not reading.code.co_name.startswith(_RESUMED):
        seen.runs[file, reading.code.co_firstlineno] += 1
    for line, times in reading.visits.counts.items():
        place: Place = (file, line)
        seen.visits[place] = max(times, seen.visits.get(place, 0))
