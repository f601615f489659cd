"""Tables of benchmark results, in Markdown."""

from collections.abc import Iterable, Sequence

from benchmarks.report import limits
from benchmarks.report.rows import Row, plain_rows, rows, rows_in_other_modes
from benchmarks.report.schema import Results
from benchmarks.report.timings import Timing
from jaxvstorch._frameworks import MODES, SYNCHRONOUS
from jaxvstorch._measure.durations import seconds


def markdown(header: Sequence[str], body: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table; columns after the first ``left`` are aligned to the right."""
    rule = [":---" if i < left else "---:" for i in range(len(header))]
    lines = [header, rule, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def steady_table(rows: Sequence[Row]) -> str:
    """Later calls: one line per function and size, and JAX over PyTorch where both compile."""
    kinds = [kind for kind in MODES if any(kind in row.times for row in rows)]
    ratios = {
        mode: f"jit{mode.removeprefix('compiled')} / compile"
        for mode in ("compiled", f"compiled{SYNCHRONOUS}")
        if mode == "compiled" or any(row.ratio(mode) for row in rows)
    }
    header = ["function", "size", *(MODES[kind] for kind in kinds), *ratios.values()]
    return markdown(header, (_steady_line(row, kinds, ratios) for row in rows))


def _steady_line(row: Row, kinds: Sequence[tuple[str, str]], modes: Iterable[str]) -> list[str]:
    times = [seconds(row.times[k].median if k in row.times else None) for k in kinds]
    ratios = [str(row.ratio(mode) or "-") for mode in modes]
    return [f"`{row.name}`", f"{row.size:,}", *times, *ratios]


def queued_table(rows: Sequence[Row]) -> str:
    """Later calls on a GPU that is kept busy; empty where none computed."""
    kinds = [kind for kind in MODES if any(t.queued for row in rows if (t := row.times.get(kind)))]
    body = []
    for row in rows:
        times = [timing.queued if (timing := row.times.get(kind)) else None for kind in kinds]
        if any(times):
            body.append([f"`{row.name}`", f"{row.size:,}", *map(seconds, times)])
    header = ["function", "size", *(f"{MODES[kind]}, queued" for kind in kinds)]
    return markdown(header, body) if body else ""


def compile_table(rows: Sequence[Row]) -> str:
    """First call and new shape: one line per function where they were measured."""
    header = ["function", "size", "jax.jit first", "torch.compile first"]
    header += ["jax.jit new shape", "torch.compile new shape"]
    body = []
    for row in rows:
        both = [row.times.get((name, "compiled")) for name in ("jax", "torch")]
        times = [timing.first_call if timing else None for timing in both]
        times += [timing.new_shape if timing else None for timing in both]
        if any(times):
            body.append([f"`{row.name}`", f"{row.size:,}", *map(seconds, times)])
    return markdown(header, body) if body else ""


def mode_table(timings: Sequence[Timing]) -> str:
    """Benchmarks of their own: one line per way of calling."""
    header = ["function", "size", "framework", "how", "time", "sessions"]
    return markdown(header, map(_line, timings))


def limit_table(timings: Sequence[Timing], results: Results) -> str:
    """Timings beside what the machine can do: one line for each that states what it moves or does.

    Args:
        timings: some of the run.
        results: the whole run on that machine, with its copies and products.
    """
    header = ["function", "size", "framework", "how", "time", "sessions"]
    header += ["per second", "of the machine's"]
    shares = [(timing, share) for timing in timings if (share := limits.fraction(timing, results))]
    body = [
        [*_line(timing), rate(timing), f"{share.value:.0%} of a {share.of}"]
        for timing, share in shares
    ]
    if any(timing.memory for timing, _ in shares):
        header.append("memory")
        for line, (timing, _) in zip(body, shares, strict=True):
            line.append(f"{timing.memory / 1e6:.1f} MB" if timing.memory else "-")
    return markdown(header, body) if body else ""


def _line(timing: Timing) -> list[str]:
    times = [seconds(timing.median), _range(timing.times)]
    return [f"`{timing.name}`", f"{timing.size:,}", timing.framework, timing.mode, *times]


def _range(times: Sequence[float]) -> str:
    """From the least session's time to the highest one's; a hyphen where there is one session."""
    return f"{seconds(min(times))} to {seconds(max(times))}" if len(times) > 1 else "-"


def rate(timing: Timing) -> str:
    """What a call does per second: operations where it states them, bytes where it states those."""
    if timing.operations:
        return f"{timing.operations / limits.busy(timing) / 1e9:.1f} GFLOP/s"
    return f"{timing.moved / limits.busy(timing) / 1e9:.1f} GB/s" if timing.moved else "-"


def topic_tables(results: Results, topic: str) -> str:
    """All tables of one topic: later calls, first calls, other ways of calling, and limits."""
    topic_rows = rows(results, topic)
    timings = [timing for row in topic_rows for timing in row.times.values()]
    others = [t for row in rows_in_other_modes(topic_rows) for t in row.times.values()]
    others = [t for t in others if not limits.fraction(t, results)]
    plain = plain_rows(topic_rows)
    parts = [steady_table(plain) if plain else "", queued_table(plain), compile_table(topic_rows)]
    parts += [mode_table(others) if others else "", limit_table(timings, results)]
    return "\n\n".join(part for part in parts if part)


def yardstick_table(results: Results) -> str:
    """What the machine can do: copies, products and smallest calls; empty where none was timed."""
    chosen = [t for t in results.timings if t.topic == limits.YARDSTICKS or t.mode == "copy"]
    header = ["function", "size", "framework", "how", "time", "sessions", "per second"]
    body = [[*_line(t), rate(t)] for t in sorted(chosen, key=lambda t: t.name)]
    return markdown(header, body) if body else ""
