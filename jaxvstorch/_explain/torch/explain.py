"""Explains a function of PyTorch."""

import traceback
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from torch import fx

from jaxvstorch._explain import breaks, findings
from jaxvstorch._explain.cures import Cure
from jaxvstorch._explain.explanation_data import Compiled, Finding
from jaxvstorch._explain.marks import Mark, Source
from jaxvstorch._explain.observations import Place
from jaxvstorch._explain.python.recorder import Recorder
from jaxvstorch._explain.python.shown_files import OwnCode, short_path
from jaxvstorch._explain.sources import count_without_line, sources_to_show
from jaxvstorch._explain.subject import Subject
from jaxvstorch._explain.torch import dynamo, outside, trace
from jaxvstorch._explain.torch.traced import Frame, Traced, look
from jaxvstorch._frameworks.installed import is_pythons

RAN_IN_PYTHON = "It was called once: nothing was compiled, and Python ran all of it."
RAN = "It was called once: its graphs ran uncompiled, and Python ran what is around them."


def explain(subject: Subject) -> dict[str, Any]:
    """Compile and call a function once; returns the fields of an ``Explanation``."""
    code = subject.code
    own = OwnCode(subject.file)
    traced = Traced()
    recorder = Recorder(own.has, is_written=dynamo.is_written, pause=traced.is_apart)
    changes = outside.Changes(subject.named, code)
    trace.trace(subject, own, traced, recorder, changes.reading)
    seen, programs = look(traced, recorder, own)
    backend = dynamo.backend(subject.function)
    seen.failed = _failed(traced.error, recorder, own)
    seen.has_failed = traced.error is not None
    sources, missing = sources_to_show(code, own, seen)
    programs = count_without_line(programs, seen.operations, sources)
    found = [*_breaks(traced, own), *findings.of_loops("torch", sources)]
    found += _skipped(sources, traced, found)
    if traced.error is not None:  # the error reports what Dynamo says about the line that raised
        found = [f for f in found if f.kind != "break" or (f.file, f.line) != seen.failed]
    if traced.error is None:
        read = list(outside.of_readings(traced, seen.python, own))
        changed = list(changes.touches(traced, own))
        # The other backends compute with what they get, whatever the graph declares.
        misread = outside.misread(traced, own) if backend[0] == "inductor" else []
        found += findings.of_touches("torch", outside.together(read, changed, misread))
    else:
        found.append(findings.of_error(traced.error, seen.failed, dynamo.generic_hints()))
        missing.append("What comes after the error: the call ended with it.")
    return {
        "framework": "torch",
        "sources": sources,
        "programs": programs,
        "findings": findings.ordered(found, sources),
        "missing": tuple(missing),
        "ran": RAN if programs else RAN_IN_PYTHON,
        "compile": partial(_compile, traced.graphs, traced.inputs, own, backend),
    }


def _compile(
    graphs: list[fx.GraphModule],
    inputs: list[list[Any]],
    own: OwnCode,
    backend: tuple[str, dict[str, Any]],
) -> Compiled:
    # Inductor takes longer to import than most functions to trace, and only stages need it.
    from jaxvstorch._explain.torch import stages

    return stages.compile(graphs, inputs, own, backend)


def _breaks(traced: Traced, own: OwnCode) -> Iterator[Finding]:
    """One finding for each line that the graph breaks at."""
    told: set[tuple[Place, str]] = set()
    for frame in traced.frames:
        callers = [place for place in frame.callers if own.has(place[0])]
        for text, stack in () if _ended(frame, traced) else frame.stacks():
            places = [place for place in stack if own.has(place[0])]
            if not places and not callers:
                continue
            here = (places or callers)[-1]
            if is_pythons(stack[-1][0]) and any(place == here for place, _ in told):
                continue  # what Python's library calls in turn, when the call is reported already
            for finding in _along(text, stack, places or callers[-1:]):
                place = (finding.file, finding.line)
                # In a chain of calls, each one after the first says the same about what it calls.
                if (place, finding.what) not in told:
                    told.add((place, finding.what))
                    yield finding


def _ended(frame: Frame, traced: Traced) -> bool:
    """Whether Dynamo's refusal of a frame is the error that the call ended with."""
    error = traced.error
    return bool(frame.failures) and error is not None and findings.is_unsupported(error)


def _along(text: str, stack: list[Place], places: list[Place]) -> Iterator[Finding]:
    """What to say about one break: about the calls that led to it, and about its line."""
    for place in places[:-1]:
        yield _break(place, breaks.CALL, breaks.CALL_CURE)
    reason, generic = breaks.reason(text), dynamo.generic_hints()
    if stack[-1] == places[-1]:
        yield _break(places[-1], reason, breaks.cure(text, generic))
    else:
        file, line = stack[-1]
        reason = breaks.inside(f"{short_path(file)}, line {line}", reason)
        cure = breaks.CALL_OUTSIDE if is_pythons(file) else breaks.cure_inside(text, generic)
        yield _break(places[-1], reason, cure)


def _skipped(sources: Iterable[Source], traced: Traced, found: list[Finding]) -> Iterator[Finding]:
    """One finding for each function that Dynamo leaves to Python without reading it."""
    asked = {
        (f.code.co_filename, f.code.co_firstlineno) for f in traced.frames if not f.is_left_out
    }
    for frame in traced.frames:
        if not frame.failures:  # a function that was read, and had nothing to compile
            asked |= frame.read
    for source in sources:
        numbers = {line.number for line in source.lines}
        is_told = any(
            f.kind == "break" and f.file == source.file and f.line in numbers for f in found
        )
        is_asked = any((source.file, number) in asked for number in numbers)
        ran = [line.number for line in source.lines if line.mark is Mark.PYTHON]
        marks = {line.mark for line in source.lines}
        if ran and not is_told and not is_asked and not marks & {Mark.GRAPH, Mark.TRACED}:
            yield _break((source.file, ran[0]), breaks.SKIPPED, breaks.SKIPPED_CURE)


def _break(place: Place, what: str, cure: Cure) -> Finding:
    return Finding("break", *place, what, cure.text, cure.page)


def _failed(error: Exception | None, recorder: Recorder, own: OwnCode) -> Place | None:
    """The innermost line of own code where Dynamo was, or that the error passed through."""
    if error is None:
        return None
    frames = [
        (frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    places = [*frames, *dynamo.real_stack(error)]
    own_places = [place for place in places if own.has(place[0])]
    return own_places[-1] if own_places else recorder.raised(error)
