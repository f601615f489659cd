"""A record of one call of a compiled function: what Dynamo read, compiled and refused."""

from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from torch import fx

from jaxvstorch._explain.explanation_data import Program
from jaxvstorch._explain.observations import Location, Observations, count, letter
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.recorder import COMPREHENSIONS, Recorder, Visits
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.torch import dynamo, dynamo_cache, program

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
        parsed = statements.read(self.code.co_filename)
        statement_starts = parsed.statement_starts if parsed else {}
        return {n for n, first in statement_starts.items() if first in self.visits.counts}


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
        left_because: Dynamo's reason for leaving it to Python; empty if it names none.
    """

    code: CodeType
    is_left_out: bool
    callers: list[Location]
    breaks: list[Any] = field(default_factory=list)
    failures: list[dynamo.Failure] = field(default_factory=list)
    stack: list[Location] = field(default_factory=list)
    read: set[Location] = field(default_factory=set)
    left_because: str = ""

    def stacks(self) -> list[tuple[str, list[Location]]]:
        """Each text of a reason, and the lines of Dynamo's stack, the outermost first."""
        stacks = [(r.reason, [(f.filename, f.lineno) for f in r.user_stack]) for r in self.breaks]
        for failure in self.failures:
            location = (failure.file, failure.line)
            stacks.append((failure.text, self.stack if location in self.stack[-1:] else [location]))
        return stacks


@dataclass
class CallRecord:
    """What one call of a compiled function showed.

    Attributes:
        graphs: what was handed to the backend, in order.
        frame_of_graph: the frame that each was compiled for.
        inputs: the inputs of each.
        guards: the guards on values, of all graphs.
        readings: what Dynamo read, by what it compiled; only the last of its attempts.
        frames: what Dynamo was asked to compile, in order.
        changed: the inputs that their graph changed in place.
        misread: the inputs whose dtype differs from the one that their graph declares.
        switched_off: what switched Dynamo off, by file and first line of a function that ran then.
        error: what the call ended with.
    """

    graphs: list[fx.GraphModule] = field(default_factory=list)
    frame_of_graph: list[Frame] = field(default_factory=list)
    inputs: list[list[Any]] = field(default_factory=list)
    guards: set[str] = field(default_factory=set)
    readings: dict[Any, dict[Any, Reading]] = field(default_factory=dict)
    attempts: dict[Any, int] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    changed: set[fx.Node] = field(default_factory=set)
    misread: list[fx.Node] = field(default_factory=list)
    switched_off: dict[Location, str] = field(default_factory=dict)
    error: Exception | None = None

    def entered(self, frame: FrameType, line: int | None) -> None:
        """Note how Dynamo is set when Python enters a function."""
        if line is None and dynamo.is_switched_off():
            location = (frame.f_code.co_filename, frame.f_code.co_firstlineno)
            if (stance := dynamo_cache.stance()) != "default":
                self.switched_off[location] = f"torch.compiler.set_stance({stance!r})"
            elif dynamo.is_disabled(frame):
                self.switched_off[location] = "torch.compiler.disable"

    def all_readings(self) -> list[Reading]:
        """The functions that Dynamo read, in order."""
        return [r for by_translator in self.readings.values() for r in by_translator.values()]


def read_record(
    record: CallRecord, recorder: Recorder, shown_files: ShownFiles
) -> tuple[Observations, tuple[Program, ...]]:
    """What the call showed about the lines, and its programs."""
    observed = Observations(python=set(recorder.visits))
    for frame in record.frames:
        for _, stack in frame.stacks():
            observed.python.update(location for location in stack if shown_files.has(location[0]))
    for reading in record.all_readings():
        _add_reading(observed, reading, shown_files)
    for entered, times in recorder.runs.items():
        if entered not in observed.runs:
            observed.runs[entered] = times
    programs = []
    for number, (graph, frame) in enumerate(zip(record.graphs, record.frame_of_graph, strict=True)):
        name = letter(number)
        callers = tuple(location for location in frame.callers if shown_files.has(location[0]))
        operations = list(program.operations(graph, name, shown_files.has, callers))
        observed.operations += operations
        programs.append(Program(name, count(operations), program.code(graph)))
    return observed, tuple(programs)


def _add_reading(observed: Observations, reading: Reading, shown_files: ShownFiles) -> None:
    file = reading.code.co_filename
    if not shown_files.has(file):
        return
    name = reading.code.co_name
    if not name.startswith(_RESUMED) and name not in COMPREHENSIONS:
        observed.runs[file, reading.code.co_firstlineno] += 1
    for line, times in reading.visits.counts.items():
        location: Location = (file, line)
        observed.visits[location] = max(times, observed.visits.get(location, 0))
