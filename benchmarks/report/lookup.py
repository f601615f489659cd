"""One number of a results file, found by what a page calls it."""

import difflib
from collections.abc import Sequence

from benchmarks.report import provenance, summary
from benchmarks.report.rows import Ratio, ratio
from benchmarks.report.schema import Results
from benchmarks.report.timings import Timing
from jaxvstorch._measure.durations import seconds

ONE_CALL = ("first call", "new shape")  # beside the modes


def time(results: Results, function: str, size: int, framework: str, mode: str) -> float:
    """Seconds of one call.

    Args:
        results: one machine's.
        function: as in ``"branching.select_if"``.
        size: of its inputs.
        framework: what computed.
        mode: of a timing, or one of ``ONE_CALL``.

    Raises:
        LookupError: it was not timed; the message names the nearest that was.
    """
    timing = find(results, function, size, framework, mode)
    measured = {"first call": timing.first_call, "new shape": timing.new_shape}.get(
        mode, timing.median
    )
    if measured is None:
        raise LookupError(f"the {mode} of {function} {size} {framework} was not timed")
    return measured


def find(results: Results, function: str, size: int, framework: str, mode: str) -> Timing:
    """The timing that holds it; arguments and errors are those of ``time``."""
    timed = {_named(timing): timing for timing in results.timings}
    wanted = f"{function} {size} {framework} {'compiled' if mode in ONE_CALL else mode}"
    if wanted not in timed:
        near = difflib.get_close_matches(wanted, timed, n=1, cutoff=0)
        raise LookupError(f"{wanted!r} was not timed; the nearest is {near[0]!r}")
    return timed[wanted]


def _named(timing: Timing) -> str:
    return f"{timing.topic}.{timing.name} {timing.size} {timing.framework} {timing.mode}"


def number(results: Results, key: str) -> str:
    """A number as a sentence says it.

    Args:
        results: one machine's.
        key: a name of ``overall``, or one of

            - ``time FUNCTION SIZE FRAMEWORK [MODE]``: of a call, with its unit.
            - ``share FUNCTION/FUNCTION SIZE FRAMEWORK [MODE]``: the first in percent of the second.
            - ``factor FUNCTION/FUNCTION SIZE FRAMEWORK [MODE]``: how many times the second it is.

    Times, shares and factors are medians of the sessions' own, or their range where it is wider
    than a tenth; a first call is a median.

    Raises:
        LookupError: there is no such number; the message says what there is.
    """
    kind, *words = key.split(" ", 4)
    if kind in ("time", "share", "factor") and len(words) >= 3:
        functions, size, framework, mode = (*words, "compiled")[:4]
        if not size.isdecimal():
            raise LookupError(f"{key!r}: the size is a whole number, not {size!r}")
        found = [find(results, f, int(size), framework, mode) for f in functions.split("/")]
        if len(found) != (1 if kind == "time" else 2):
            raise LookupError(f"{key!r}: `time` takes one function, `share` and `factor` take two")
        if kind == "time" and mode not in ONE_CALL and _is_wide(found[0].times):
            ends = min(found[0].times), max(found[0].times)
            return " to ".join(map(seconds, ends))
        if kind == "time":
            return seconds(time(results, functions, int(size), framework, mode))
        return _between(ratio(*found), kind == "share", key)
    known = overall(results)
    if key not in known:
        raise LookupError(f"there is no number {key!r}; there are {', '.join(known)}")
    return known[key]


def _between(found: Ratio | None, in_percent: bool, key: str) -> str:
    """The ratio, or its range, such as ``"2.1 to 2.6"``."""
    if found is None:
        raise LookupError(f"{key!r}: no session timed both")
    ends = [found.low, found.high] if _is_wide([found.low, found.high]) else [found.value]
    scale, unit = (100, "\N{NO-BREAK SPACE}%") if in_percent else (1, "")
    return " to ".join(dict.fromkeys(_plain(scale * end) for end in ends)) + unit


def _is_wide(values: Sequence[float]) -> bool:
    """Whether a median would hide how far the sessions are apart."""
    return max(values) > 1.1 * min(values)


def _plain(value: float) -> str:
    """Two digits, or all before the point: never ``"1e+02"``."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def overall(results: Results) -> dict[str, str]:
    """The totals of a machine's results, by name."""
    small, large = summary.small_and_large(results)
    numbers = {"all": str(small.all), "first all": str(len(summary.first_calls(results)["jax"]))}
    for name in ("jax", "torch", "neither"):
        numbers[f"small {name}"] = str(getattr(small, name))
        numbers[f"large {name}"] = str(getattr(large, name))
    for name in ("jax", "torch"):
        numbers[f"first {name}"] = seconds(summary.first_call(results, name))
        numbers[f"shape {name}"] = seconds(summary.first_call(results, name, "new_shape"))
        numbers[f"call {name}"] = seconds(summary.smallest_call(results, name))
    numbers["machine"] = provenance.label(results)
    numbers["date"] = results.date[:10].replace("-", "\N{NON-BREAKING HYPHEN}")
    return numbers
