"""Explains a function of PyTorch."""

import traceback
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from torch import fx

from jaxvstorch.explainer import assemble, breaks, findings
from jaxvstorch.explainer.compiled import Compiled
from jaxvstorch.explainer.cures import Cure
from jaxvstorch.explainer.explanation import Finding, Mark, Source
from jaxvstorch.explainer.operations import Place
from jaxvstorch.explainer.own import OwnCode
from jaxvstorch.explainer.recorder import Recorder
from jaxvstorch.explainer.subject import Subject
from jaxvstorch.explainer.torch import private, touches, trace

RAN = "It was called once: its graphs ran uncompiled, and Python ran what is around them."


def explain(subject: Subject) -> dict[str, Any]:
    """Compile and call a function once; returns the fields of an ``Explanation``."""
    code = subject.code
    own = OwnCode(subject.file)
    traced = trace.Traced()
    # The code that Dynamo writes begins on the first line of the function that it stands for.
    recorder = Recorder(own.has, first_lines=False, pause=traced.is_apart)
    changes = touches.Changes(subject.named, code)
    trace.trace(subject, traced, recorder, changes.reading)
    seen, programs = trace.look(traced, recorder, own)
    seen.failed = _failed(traced.error, recorder, own)
    sources, missing = assemble.shown(code, own, seen)
    found = [*_breaks(traced, own), *findings.of_loops("torch", sources)]
    found += _skipped(sources, found)
    if traced.error is None:
        read = list(touches.of_readings(traced, seen.python, own))
        changed = list(changes.touches(traced, own))
        found += findings.of_touches("torch", touches.together(read, changed))
    else:
        found.append(findings.of_error(traced.error, seen.failed))
        missing.append("What comes after the error: the call ended with it.")
    return {
        "framework": "torch",
        "sources": sources,
        "programs": programs,
        "findings": findings.ordered(found, sources),
        "missing": tuple(missing),
        "ran": RAN,
        "compile": partial(
            _compile, traced.graphs, traced.inputs, own, private.backend(subject.function)
        ),
    }


def _compile(
    graphs: list[fx.GraphModule],
    inputs: list[list[Any]],
    own: OwnCode,
    backend: tuple[str, dict[str, Any]],
) -> Compiled:
    # Inductor takes longer to import than most functions to trace, and only stages need it.
    from jaxvstorch.explainer.torch import stages

    return stages.compile(graphs, inputs, own, backend)


def _breaks(traced: trace.Traced, own: OwnCode) -> Iterator[Finding]:
    """One finding for each line that the graph breaks at."""
    told: set[Place] = set()
    for reason in traced.breaks:
        places = [(f.filename, f.lineno) for f in reason.user_stack if own.has(f.filename)]
        if not places or places[-1] in told:
            continue
        told.add(places[-1])
        for place in set(places[:-1]) - told:
            told.add(place)
            yield _break(place, breaks.CALL, breaks.CALL_CURE)
        yield _break(places[-1], breaks.reason(reason.reason), breaks.cure(reason.reason))


def _skipped(sources: Iterable[Source], found: list[Finding]) -> Iterator[Finding]:
    """One finding for each function that Python runs and that nothing else was said of."""
    for source in sources:
        numbers = {line.number for line in source.lines}
        is_told = any(
            f.kind == "break" and f.file == source.file and f.line in numbers for f in found
        )
        ran = [line.number for line in source.lines if line.mark is Mark.PYTHON]
        marks = {line.mark for line in source.lines}
        if ran and not is_told and not marks & {Mark.GRAPH, Mark.TRACED}:
            yield _break((source.file, ran[0]), breaks.SKIPPED, breaks.SKIPPED_CURE)


def _break(place: Place, what: str, cure: Cure) -> Finding:
    return Finding("break", *place, what, cure.text, cure.page)


def _failed(error: Exception | None, recorder: Recorder, own: OwnCode) -> Place | None:
    """The innermost line of own code where Dynamo was, or that the error came through."""
    if error is None:
        return None
    frames = [
        (frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    places = [*frames, *private.real_stack(error)]
    own_places = [place for place in places if own.has(place[0])]
    return own_places[-1] if own_places else recorder.raised(error)
