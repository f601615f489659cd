"""Explains a function of PyTorch."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from torch import fx

from jaxvstorch._explain import breaks, findings
from jaxvstorch._explain.cures import Cure
from jaxvstorch._explain.explanation_data import Compiled, Finding
from jaxvstorch._explain.marks import Mark, Source
from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python.recorder import Recorder
from jaxvstorch._explain.python.shown_files import ShownFiles, short_path
from jaxvstorch._explain.sources import count_without_line, sources_to_show
from jaxvstorch._explain.subject import Subject
from jaxvstorch._explain.torch import dynamo, outside, trace
from jaxvstorch._explain.torch.call_record import CallRecord, Frame, read_record
from jaxvstorch._frameworks.installed import is_installed, is_pythons

RAN_IN_PYTHON = "It was called once: nothing was compiled, and Python ran all of it."
RAN = "It was called once: its graphs ran uncompiled, and Python ran the code around them."


def explain(subject: Subject) -> dict[str, Any]:
    """Compile and call a function once; returns the fields of an ``Explanation``."""
    code = subject.code
    shown_files = ShownFiles(subject.file)
    record = CallRecord()
    recorder = Recorder(shown_files.has, None, record.entered, dynamo.is_generated)
    changes = outside.Changes(subject.named, code)
    trace.trace(subject, shown_files, record, recorder, changes.reading)
    observed, programs = read_record(record, recorder, shown_files)
    backend = dynamo.backend(subject.function)
    if record.error is not None:
        observed.has_failed = True
        observed.failed = findings.raised_at(record.error, shown_files.has)
        observed.failed = observed.failed or recorder.raised(record.error)
    sources, missing = sources_to_show(code, shown_files, observed)
    programs = count_without_line(programs, observed.operations, sources)
    all_findings = [*_breaks(record, shown_files), *findings.of_loops("torch", sources)]
    all_findings += _of_whole_frames(sources, record, shown_files)
    all_findings += _skipped(sources, record, all_findings)
    # The error reports what Dynamo says about the line that raised it; but a break in a loop is why
    # the calls are too deep.
    if record.error is not None and not isinstance(record.error, RecursionError):
        all_findings = [
            f for f in all_findings if f.kind != "break" or (f.file, f.line) != observed.failed
        ]
    if record.error is None:
        read = list(outside.accesses_in_readings(record, observed.python, shown_files))
        changed = list(changes.accesses(record, shown_files))
        # The other backends compute with what they get, whatever the graph declares.
        misread = outside.misread(record, shown_files) if backend[0] == "inductor" else []
        all_findings += findings.of_accesses("torch", outside.combined(read, changed, misread))
    else:
        all_findings.append(findings.of_error(record.error, observed.failed))
        missing.append("Everything after the error: the call ended there.")
    return {
        "framework": "torch",
        "sources": sources,
        "programs": programs,
        "findings": findings.ordered(all_findings, sources),
        "missing": tuple(missing),
        "ran": RAN if programs else RAN_IN_PYTHON,
        "compile": partial(_compile, record.graphs, record.inputs, shown_files, backend),
    }


def _compile(
    graphs: list[fx.GraphModule],
    inputs: list[list[Any]],
    shown_files: ShownFiles,
    backend: tuple[str, dict[str, Any]],
) -> Compiled:
    # Inductor takes longer to import than most functions to trace, and only stages need it.
    from jaxvstorch._explain.torch import stages

    return stages.compile(graphs, inputs, shown_files, backend)


def _breaks(record: CallRecord, shown_files: ShownFiles) -> Iterator[Finding]:
    """One finding for each line that the graph breaks at."""
    reported: set[tuple[Location, str]] = set()
    for frame in record.frames:
        callers = [location for location in frame.callers if shown_files.has(location[0])]
        for text, stack in () if _ended_call(frame, record) else frame.stacks():
            locations = [location for location in stack if shown_files.has(location[0])]
            if not locations and not callers:
                continue
            here = (locations or callers)[-1]
            if is_pythons(stack[-1][0]) and any(location == here for location, _ in reported):
                continue  # a call inside Python's library; the call into it is reported
            for finding in _findings_of_break(text, stack, locations or callers[-1:]):
                location = (finding.file, finding.line)
                # In a chain of calls, each one after the first says the same about what it calls.
                if (location, finding.what) not in reported:
                    reported.add((location, finding.what))
                    yield finding


def _of_whole_frames(
    sources: tuple[Source, ...], record: CallRecord, shown_files: ShownFiles
) -> Iterator[Finding]:
    """Breaks at no line that is shown, such as at a call of a module that Dynamo does not take."""
    ran = [n.number for source in sources[:1] for n in source.lines if n.mark is Mark.PYTHON]
    for frame in record.frames if ran else ():
        for text, stack in () if _ended_call(frame, record) else frame.stacks():
            if not any(shown_files.has(file) for file, _ in (*stack, *frame.callers)):
                location = (sources[0].file, ran[0])
                cure = breaks.cure(text, breaks.generic_hints(), location)
                yield _break(location, breaks.reason(text), cure)


def _ended_call(frame: Frame, record: CallRecord) -> bool:
    """Whether Dynamo's refusal of a frame is the error that the call ended with."""
    error = record.error
    return bool(frame.failures) and error is not None and findings.is_unsupported(error)


def _findings_of_break(
    text: str, stack: list[Location], locations: list[Location]
) -> Iterator[Finding]:
    """The findings about one break: one for each call that led to it, and one for its line."""
    for location in locations[:-1]:
        yield _break(location, breaks.CALL, breaks.CALL_CURE)
    reason, generic = breaks.reason(text), breaks.generic_hints()
    if stack[-1] == locations[-1]:
        yield _break(locations[-1], reason, breaks.cure(text, generic, locations[-1]))
    else:
        file, line = stack[-1]
        name = short_path(file)
        reason = breaks.inside(f"{name}, line {line}", reason)
        caller = locations[-1] if name.startswith("torch/") else None
        cure = breaks.cure_inside(text, generic, caller)
        yield _break(locations[-1], reason, breaks.CALL_OUTSIDE if is_pythons(file) else cure)


def _skipped(
    sources: Iterable[Source], record: CallRecord, break_findings: list[Finding]
) -> Iterator[Finding]:
    """One finding for each function that Dynamo leaves to Python without reading it.

    Functions of installed packages that a rule of Dynamo leaves out are no news.
    """
    read_functions = {
        (f.code.co_filename, f.code.co_firstlineno) for f in record.frames if not f.is_left_out
    }
    for frame in record.frames:
        if not frame.failures:  # a function that was read, and had nothing to compile
            read_functions |= frame.read
    for source in sources:
        numbers = {line.number for line in source.lines}
        is_reported = any(
            f.kind == "break" and f.file == source.file and f.line in numbers
            for f in break_findings
        )
        is_read = any((source.file, number) in read_functions for number in numbers)
        ran = [line.number for line in source.lines if line.mark is Mark.PYTHON]
        marks = {line.mark for line in source.lines}
        if ran and not is_reported and not is_read and not marks & {Mark.GRAPH, Mark.TRACED}:
            frames = [
                f.left_because
                for f in record.frames
                if f.code.co_filename == source.file and f.code.co_firstlineno in numbers
            ]
            switches = [s for n in numbers if (s := record.switched_off.get((source.file, n)))]
            if not (is_installed(source.file) and breaks.IS_LISTED in frames):
                reason, cure = breaks.left_out("".join(frames[-1:]), *switches[:1])
                yield _break((source.file, ran[0]), reason, cure)


def _break(location: Location, what: str, cure: Cure) -> Finding:
    return Finding("break", *location, what, cure.text, cure.page)
