"""What one call of a compiled function showed: what Dynamo read, compiled and refused."""

from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from torch import fx

from jaxvstorch._explain.explanation_data import Program
from jaxvstorch._explain.observations import Place, Seen, count, letter
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.recorder import Recorder, Visits
from jaxvstorch._explain.python.shown_files import OwnCode
from jaxvstorch._explain.torch import dynamo, program

_RESUMED = "torch_dynamo_resume_in_"


@dataclass
class Reading:
    """The lines that Dynamo read of one function, in one attempt to compile something.

    Attributes:
        code: the function's, or that of the rest of it after a graph break.
        names: its globals.
        variables: its arguments and closure, if Dynamo knows their values.
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
        code: the function's, or that of the rest of it after a graph break.
        is_left_out: whether Dynamo has a rule to leave it to Python.
        callers: the lines of Python that led to it, the outermost first.
        breaks: the reasons of the graph breaks in it.
        failures: why all of it was left to Python; empty if it was not.
        stack: the lines that Dynamo read last, the outermost first.
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
        guards: the guards on values, of all graphs.
        readings: what Dynamo read, by what it compiled; only the last of its attempts.
        frames: what Dynamo was asked to compile, in order.
        misread: the inputs that came in another dtype than their graph declares.
        error: what the call ended with.
    """

    graphs: list[fx.GraphModule] = field(default_factory=list)
    inputs: list[list[Any]] = field(default_factory=list)
    guards: set[str] = field(default_factory=set)
    readings: dict[Any, dict[Any, Reading]] = field(default_factory=dict)
    attempts: dict[Any, int] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    misread: list[fx.Node] = field(default_factory=list)
    error: Exception | None = None
    is_graph_running: bool = False

    def is_apart(self) -> bool:
        """Whether what Python runs now belongs to Dynamo or to a graph, not to the function."""
        return self.is_graph_running or dynamo.attempt()[0] is not None

    def all_readings(self) -> list[Reading]:
        """The functions that Dynamo read, in order."""
        return [r for by_translator in self.readings.values() for r in by_translator.values()]


def look(traced: Traced, recorder: Recorder, own: OwnCode) -> tuple[Seen, tuple[Program, ...]]:
    """What the call shows about the lines, and the programs."""
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
        programs.append(Program(name, count(found), program.code(graph)))
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
