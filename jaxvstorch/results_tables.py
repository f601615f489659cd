"""Tables of benchmark results, in Markdown."""

from collections.abc import Iterable, Sequence

from jaxvstorch import results_limits as limits
from jaxvstorch.results import Results
from jaxvstorch.timings import KINDS, Row, own_rows, plain_rows, rows


def seconds(value: float | None) -> str:
    """A time with three digits and its unit, such as ``"3.73 µs"``; a dash for ``None``."""
    if value is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if value >= 0.9995 * scale or unit == "ns":
            break
    scaled = value / scale
    digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
    return f"{scaled:.{digits}f}\N{NO-BREAK SPACE}{unit}"


def markdown(header: Sequence[str], body: Iterable[Sequence[str]], left: int = 1) -> str:
    """A Markdown table; columns after the first ``left`` are aligned to the right."""
    rule = [":---" if i < left else "---:" for i in range(len(header))]
    lines = [header, rule, *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def steady_table(found: Sequence[Row]) -> str:
    """Later calls: one line per function and size, and JAX over PyTorch where both compile."""
    kinds = [kind for kind in KINDS if any(kind in row.times for row in found)]
    header = ["function", "size", *(KINDS[kind] for kind in kinds), "jit / compile"]
    return markdown(header, (_steady_line(row, kinds) for row in found))


def _steady_line(row: Row, kinds: Sequence[tuple[str, str]]) -> list[str]:
    times = [seconds(row.times[k].median if k in row.times else None) for k in kinds]
    return [f"`{row.name}`", f"{row.size:,}", *times, str(row.ratio() or "-")]


def compile_table(found: Sequence[Row]) -> str:
    """First call and new shape: one line per function where they were measured."""
    header = ["function", "size", "jax.jit first", "torch.compile first"]
    header += ["jax.jit new shape", "torch.compile new shape"]
    body = []
    for row in found:
        both = [row.times.get((name, "compiled")) for name in ("jax", "torch")]
        times = [timing.first_call if timing else None for timing in both]
        times += [timing.new_shape if timing else None for timing in both]
        if any(times):
            body.append([f"`{row.name}`", f"{row.size:,}", *map(seconds, times)])
    return markdown(header, body) if body else ""


def mode_table(found: Sequence[Row], bandwidth: float = 0.0) -> str:
    """Benchmarks of their own: one line per way of calling, beside the limit where there is one.

    Args:
        found: rows whose modes are not only eager and compiled.
        bandwidth: bytes per second that a plain copy moves on that machine.
    """
    header = ["function", "size", "framework", "how", "time", "interquartile range"]
    if bandwidth:
        header += ["bytes moved per second", "of a copy's"]
    body = []
    for row in found:
        for (framework, mode), timing in row.times.items():
            line = [f"`{row.name}`", f"{row.size:,}", framework, mode]
            line += [seconds(timing.median), seconds(timing.spread)]
            if bandwidth:
                rate = timing.moved / timing.median
                line += [f"{rate / 1e9:.1f} GB/s", f"{rate / bandwidth:.0%}"]
            body.append(line)
    return markdown(header, body)


def topic_tables(results: Results, topic: str) -> str:
    """All tables of one topic: later calls, first calls, and benchmarks of its own."""
    found = rows(results.timings, topic)
    plain, own = plain_rows(found), own_rows(found)
    limit = limits.copy(results.timings)
    moving = [row for row in own if all(t.moved for t in row.times.values())]
    other = [row for row in own if row not in moving]
    parts = [steady_table(plain) if plain else "", compile_table(found)]
    parts += [
        mode_table(moving, limit.rate if limit else 0.0) if moving else "",
        mode_table(other) if other else "",
    ]
    return "\n\n".join(part for part in parts if part)


def clock_table(results: Results) -> str:
    """The harness's clock against ``timeit`` and ``torch.utils.benchmark``."""
    header = ["framework", "function", "harness", "`timeit`", "PyTorch's timer"]
    header += ["harness / timeit", "harness / PyTorch's", "within 3 %"]
    body = []
    for check in results.clock:
        times = [seconds(check[key]) for key in ("harness", "timeit", "torch_timer")]
        ratios = [f"{check['over_timeit']:.3f}", _number(check["over_torch_timer"])]
        verdict = "yes" if check["passed"] else "no"
        body.append([check["framework"], check["function"], *times, *ratios, verdict])
    return markdown(header, body, left=2)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def provenance(results: Results) -> str:
    """Where and when the numbers come from, in one line."""
    versions, cuda = results.versions, _cuda(results)
    named = [f"{n} {versions[n]}" for n in ("jax", "torch", "numpy") if n in versions]
    threads = ", ".join(f"{name} {count}" for name, count in results.threads.items())
    parts = [
        machine_name(results),
        ", ".join([*named, f"Python {versions['python']}", *cuda]),
        f"threads: {threads}",
        results.settings["dtype"],
        _commit(results.commit),
        f"image {results.image}" if results.image else "",
        results.date[:10],
        results.gap(),
    ]
    return "; ".join(part for part in parts if part)


def _commit(name: str) -> str:
    dirty = "-dirty" if name.endswith("-dirty") else ""
    return f"commit {name.removesuffix(dirty)[:12]}{dirty}" if name else ""


def machine_name(results: Results) -> str:
    """Processor, cores, memory, and GPUs with theirs, as in ``"AMD EPYC, 2 cores, 24 GiB"``."""
    machine = results.machine
    names = [f"{gpu['name']}, {_gib(gpu['memory_bytes'])}" for gpu in machine["gpus"] or ()]
    return ", ".join(
        [machine["cpu"], f"{machine['cores']} cores", _gib(machine["memory_bytes"]), *names]
    )


def _gib(size: int) -> str:
    return f"{size / 2**30:.0f} GiB"


def _cuda(results: Results) -> list[str]:
    """The CUDA version of each framework that uses a GPU, and the driver."""
    found = [f"CUDA {d['cuda']} ({name})" for name, d in results.devices.items() if d["cuda"]]
    driver = results.machine["driver"]
    return [*found, *([f"driver {driver}"] if driver else [])]
