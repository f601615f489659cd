"""Explains a function of JAX."""

from collections import Counter
from functools import partial
from types import FrameType
from typing import Any

from jaxvstorch._explain import findings
from jaxvstorch._explain.explanation_data import Finding, Program
from jaxvstorch._explain.jax import ahead_of_time, arguments, constants, stages, traces
from jaxvstorch._explain.jax.observer import Observer
from jaxvstorch._explain.jax.program import Reader
from jaxvstorch._explain.observations import Observations, count
from jaxvstorch._explain.python.recorder import Recorder
from jaxvstorch._explain.python.shown_files import ShownFiles
from jaxvstorch._explain.sources import count_without_line, sources_to_show
from jaxvstorch._explain.subject import Subject, is_ahead_of_time

RAN_IN_PART = "Python ran its lines once, up to the error; there is no program."
RAN = "Python ran its lines once, to trace them; the program did not run."

_CALLBACKS = ("debug_callback", "debug_print", "pure_callback", "io_callback")


def explain(subject: Subject) -> dict[str, Any]:
    """Trace a function once; returns the fields of an ``Explanation``."""
    if is_ahead_of_time(subject.function):
        return ahead_of_time.explain(subject.function)
    code = subject.code
    shown_files = ShownFiles(subject.file)
    observer, sites = Observer(subject, shown_files), traces.Sites()

    def line(frame: FrameType, number: int | None) -> None:
        if number is None:
            sites.enter(frame.f_code)
        observer.line(frame, number)

    recorder = Recorder(shown_files.has, observer.opcode, line, on_library=observer.library)
    call = arguments.prepare(subject.function, subject.args, subject.kwargs)
    traced, error = None, None
    with traces.fresh_traces(), sites:
        try:
            with recorder:
                traced = call.jitted.trace(*call.args, **call.kwargs)
            traced = getattr(traced, "traced", traced)  # flax wraps what JAX returns
        except Exception as caught:  # raised by the function, which is part of what is explained
            error = caught
    observed = Observations(recorder.visits, recorder.runs, has_failed=error is not None)
    accesses = observer.accesses()
    programs: tuple[Program, ...] = ()
    if traced is not None:
        entry = (code.co_filename, code.co_firstlineno) if code else None
        reader = Reader(shown_files, __file__, entry, sites)
        observed.operations = list(reader.operations(traced.jaxpr.jaxpr, "A"))
        counts = count(observed.operations)
        programs = (Program("A", counts, stages.text(traced.jaxpr, sum(counts.values()))),)
        large = [(value, reader.location(eqn)) for value, eqn in constants.large(traced.jaxpr)]
        accesses = constants.sized(accesses, large)
    if error is not None:
        observed.failed = findings.raised_at(error, shown_files.has) or recorder.raised(error)
    sources, missing = sources_to_show(code, shown_files, observed)
    programs = count_without_line(programs, observed.operations, sources)
    # Without a program, nothing that was read is frozen into one.
    all_findings = [
        finding
        for finding in findings.of_accesses("jax", accesses)
        if finding.kind != "frozen" or error is None
    ]
    observer.remove_tracers()
    all_findings += [*findings.of_loops("jax", sources), *_callbacks(observed)]
    all_findings += _refused(traced, observed)
    if error is not None:
        all_findings.append(findings.of_error(error, observed.failed))
    missing += [*call.notes, *observer.missing()]
    if error is not None:
        missing.append("The program: tracing ended with an error.")
    return {
        "framework": "jax",
        "sources": sources,
        "programs": programs,
        "findings": findings.ordered(all_findings, sources),
        "missing": tuple(missing),
        "ran": RAN if traced is not None else RAN_IN_PART,
        "compile": partial(stages.compile, traced, programs[0], shown_files) if programs else None,
    }


def _refused(traced: Any, observed: Observations) -> list[Finding]:
    """The checks of checkify that nothing took out of the program: JAX traces them only."""
    checks = [operation for operation in observed.operations if operation.name == "check"]
    if checks:
        try:
            traced.lower()  # leaves out a debug_check
        except ValueError as error:
            return [findings.of_error(error, checks[0].stack[-1] if checks[0].stack else None)]
    return []


def _callbacks(observed: Observations) -> list[Finding]:
    """One finding for each line whose program calls Python back when it runs."""
    locations = Counter(
        op.stack[-1] for op in observed.operations if op.name in _CALLBACKS and op.stack
    )
    what = "The program calls back into Python here each time it runs."
    return [Finding("callback", *location, what, "", "purity") for location in locations]
