"""Explains what ``torch.compile`` makes of a function: calls it once, and looks on."""

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

import torch
from torch import fx

from jaxvstorch.explainer import statements
from jaxvstorch.explainer.explanation import Program
from jaxvstorch.explainer.operations import Place, count, letter
from jaxvstorch.explainer.own import OwnCode
from jaxvstorch.explainer.recorder import Recorder
from jaxvstorch.explainer.seen import Seen
from jaxvstorch.explainer.subject import Subject
from jaxvstorch.explainer.torch import dynamo, program
from jaxvstorch.explainer.torch.undo import Undo
from jaxvstorch.explainer.unwrap import uncompiled
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
class Frame:
    """One frame that Dynamo was asked to compile.

    Attributes:
        code: the function's, or that of what is left of it after a graph break.
        is_left_out: whether Dynamo has a rule to leave it to Python.
        callers: the lines of Python that led to it, the outermost first.
        breaks: the reasons of the graph breaks in it.
        failures: why it was left to Python as a whole; empty where it was not.
        stack: the lines that Dynamo was reading last, the outermost first.
        read: the files and first lines of the functions that it read.
    """

    code: CodeType
    is_left_out: bool
    callers: list[Place]
    breaks: list[Any] = field(default_factory=list)
    failures: list[dynamo.Failure] = field(default_factory=list)
    stack: list[Place] = field(default_factory=list)
    read: set[Place] = field(default_factory=set)

    def stacks(self) -> list[tuple[str, list[Place]]]:
        """Each text of a reason, and the lines of Dynamo's stack, the outermost first."""
        found = [(r.reason, [(f.filename, f.lineno) for f in r.user_stack]) for r in self.breaks]
        for failure in self.failures:
            place = (failure.file, failure.line)
            found.append((failure.text, self.stack if place in self.stack[-1:] else [place]))
        return found


@dataclass
class Traced:
    """What one call of a compiled function showed.

    Attributes:
        graphs: what was handed to the backend, in order.
        inputs: the inputs of each.
        guards: what is guarded by value, in all of them.
        readings: what Dynamo read, by what it compiled; of its attempts only the last.
        frames: what Dynamo was asked to compile, in order.
        error: what the call ended with.
    """

    graphs: list[fx.GraphModule] = field(default_factory=list)
    inputs: list[list[Any]] = field(default_factory=list)
    guards: set[str] = field(default_factory=set)
    readings: dict[Any, dict[Any, Reading]] = field(default_factory=dict)
    attempts: dict[Any, int] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    error: Exception | None = None
    is_graph_running: bool = False

    def is_apart(self) -> bool:
        """Whether what Python runs now belongs to Dynamo or to a graph, not to the function."""
        return self.is_graph_running or dynamo.attempt()[0] is not None

    def all_readings(self) -> list[Reading]:
        """The functions that Dynamo read, in order."""
        return [r for by_translator in self.readings.values() for r in by_translator.values()]


def trace(
    subject: Subject,
    own: OwnCode,
    traced: Traced,
    recorder: Recorder,
    begin: Callable[[Reading], None],
) -> None:
    """Compile and call a function once; each graph is run as it is, without Inductor.

    Args:
        subject: the function and its arguments.
        own: whose lines are shown.
        traced: filled with what the call shows.
        recorder: looks on, and leaves out what runs while ``traced.is_apart()``.
        begin: called when Dynamo begins to read a function.
    """

    def keep(graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        traced.graphs.append(graph)
        traced.inputs.append(inputs)
        traced.guards |= dynamo.guards()
        return partial(_run, traced, graph)

    def read(translator: Any, code: CodeType, line: int) -> None:
        traced.frames[-1].stack = dynamo.stack(translator, line)
        traced.frames[-1].read.add((code.co_filename, code.co_firstlineno))
        compiling, attempt = dynamo.attempt()
        if traced.attempts.get(compiling) != attempt:
            traced.attempts[compiling] = attempt
            traced.readings[compiling] = {}
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

    undo = Undo(keep)

    @contextmanager
    def compiling(entered: Any) -> Iterator[None]:
        frame = Frame(entered.f_code, dynamo.is_left_out(entered), _callers())
        traced.frames.append(frame)
        with (
            undo.frame(entered),
            dynamo.reported() as (frame.breaks, frame.failures),
            dynamo.lines_traced(read),
            dynamo.without_limits(),
            warnings.catch_warnings(),
        ):
            # What Dynamo warns of when it breaks a graph is told as a finding.
            warnings.filterwarnings("ignore", module=r"torch\._dynamo")
            yield

    function = subject.function
    original: Callable[..., Any] = uncompiled(function)
    if isinstance(original, torch.nn.Module) and uncompiled(original.forward) != original.forward:
        function, original = original.forward, uncompiled(original.forward)
    options = dynamo.options(function)
    dynamo.leave_alone(*recorder.trace_functions)
    with dynamo.module_restored(original), dynamo.looked_on(keep, compiling):
        # What is installed may be known to Dynamo as what it is: its own rules name functions.
        is_known = own.is_installed or _calls_itself(original)
        asked = original if is_known else _with_code_of_its_own(original)
        compiled: Any = torch.compile(asked, backend=keep, **options)
        try:
            with recorder:
                compiled(*subject.args, **subject.kwargs)
        except Exception as error:  # of the function: it is part of what is explained
            traced.error = error
        finally:
            undo.take_back()


def _callers() -> list[Place]:
    """The lines of Python between the explained call and what is compiled now."""
    found: list[Place] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not trace.__code__:
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found[::-1]


def _calls_itself(function: Any) -> bool:
    """Whether a copy would in turn call the function that it is a copy of."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    return code is not None and function.__name__ in (*code.co_names, *code.co_freevars)


def _with_code_of_its_own(function: Any) -> Any:
    """The same function or method with a copy of its code.

    By the code Dynamo remembers what it compiled, and what it gave up: this is to be found out
    anew, and the reader's function to keep it.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        return MethodType(_with_code_of_its_own(function.__func__), function.__self__)
    if not isinstance(function, FunctionType):
        return function
    copy = FunctionType(
        function.__code__.replace(),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return functools.update_wrapper(copy, function)


def _run(traced: Traced, graph: fx.GraphModule, *inputs: Any) -> Any:
    traced.is_graph_running = True
    try:
        return graph.forward(*inputs)
    finally:
        traced.is_graph_running = False


def look(traced: Traced, recorder: Recorder, own: OwnCode) -> tuple[Seen, tuple[Program, ...]]:
    """What the call says of the lines, and the programs."""
    seen = Seen(python=set(recorder.visits))
    for frame in traced.frames:
        for _, stack in frame.stacks():
            seen.python.update(place for place in stack if own.has(place[0]))
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
