"""Where results come from, in words: machine, devices, versions, settings, commit."""

from benchmarks.report.entries import Device
from benchmarks.report.schema import Results
from benchmarks.report.tables import markdown


def provenance(results: Results) -> str:
    """Where and when the numbers come from, in one line."""
    versions, cuda = results.versions, _cuda(results)
    names = {"jax": "jax", "torch": "torch", "numpy": "numpy", "python": "Python"}
    named = [f"{title} {versions[n]}" for n, title in names.items() if n in versions]
    threads = ", ".join(f"{name} {count}" for name, count in results.threads.items())
    parts = [
        machine_name(results),
        ", ".join([*named, *cuda]),
        no_ratio(results),
        f"threads: {threads}",
        str(results.settings.get("dtype", "")),
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
    names = [f"{gpu.name}, {_gib(gpu.memory_bytes)}" for gpu in machine.gpus or ()]
    return ", ".join([machine.cpu, f"{machine.cores} cores", _gib(machine.memory_bytes), *names])


def _gib(size: int | None) -> str:
    return "memory not reported" if size is None else f"{size / 2**30:.0f} GiB"


def _cuda(results: Results) -> list[str]:
    """The CUDA version of each framework that uses a GPU, and the driver."""
    versions = [f"CUDA {d.cuda} ({name})" for name, d in results.devices.items() if d.cuda]
    driver = results.machine.driver
    return [*versions, *([f"driver {driver}"] if driver else [])]


def label(results: Results) -> str:
    """What computes, in short: the GPU where one does, else as in ``"AMD EPYC, 2 cores"``."""
    used = {d.name for d in results.devices.values() if d.platform != "cpu"}
    machine = results.machine
    return ", ".join(sorted(used)) or f"{machine.cpu}, {machine.cores} cores"


def no_ratio(results: Results) -> str:
    """Why the results have no ratio, where they have none; else empty."""
    used = [results.platform(name) for name in ("jax", "torch") if name in results.devices]
    if len(set(used)) < 2:
        return ""
    return f"no ratios, because JAX computed on {used[0]} and PyTorch on {used[1]}"


def has_gpu(results: Results) -> bool:
    """Whether a framework computed on a GPU."""
    return any(device.platform == "gpu" for device in results.devices.values())


def machine_table(results: Results) -> str:
    """Everything a reader must know to judge the numbers, one line each."""
    machine, versions = results.machine, results.versions
    kind = "quick" if results.quick else "full"
    minutes = ", ".join(f"{session.seconds / 60:.0f}" for session in results.sessions)
    measured = f"{kind}, {len(results.sessions)} of {minutes} minutes"
    measured += f", {results.share:.0%} of them spent on compiling and timing"
    dates = dict.fromkeys(session.date[:10] for session in results.sessions)
    commits = dict.fromkeys(session.commit for session in results.sessions)
    known = "not recorded" if machine.gpus is None else "none"
    lines = {
        "machine": f"{machine_name(results)}, {machine.system}",
        "GPU driver": machine.driver or known,
        "computes on": "; ".join(
            [
                *(f"{n}: {_device(d)}" for n, d in results.devices.items()),
                *filter(None, [no_ratio(results)]),
            ]
        ),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "threads": ", ".join(f"{name} {count}" for name, count in results.threads.items()),
        "precision": _precision(results),
        **_peak_memory(results),
        "image": results.image or "none, or not recorded",
        "commit": ", ".join(f"`{name}`" for name in commits if name) or "not recorded",
        "date": ", ".join(dates) or results.date[:10],
        "sessions": "; ".join(filter(None, [measured, results.gap()])),
    }
    return markdown(["what", "in this file"], lines.items(), left=2)


def _peak_memory(results: Results) -> dict[str, str]:
    most = {name: size for name, size in results.peak_memory.items() if size}
    listed = ", ".join(f"{name} {size / 2**30:.1f} GiB" for name, size in most.items())
    return {"peak GPU memory": listed} if listed else {}


def _device(device: Device) -> str:
    return f"{device.name}, CUDA {device.cuda}" if device.cuda else device.name


def _precision(results: Results) -> str:
    dtype, products = (results.settings.get(name) for name in ("dtype", "matmul_precision"))
    stated = f'{dtype}, products "{products}"'
    named = [
        f"`{name}` {value}"
        for settings in results.precision.values()
        for name, value in settings.items()
    ]
    return "; ".join([stated, *named])
