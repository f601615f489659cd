"""Benchmark results, read from their files and checked. No framework is needed."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from jaxvstorch.timings import Timing

SCHEMA = "jaxvstorch-benchmarks"
VERSION = 1


class ResultsError(ValueError):
    """A file is no results file that this version can read; the message says why."""


@dataclass(frozen=True)
class Results:
    """One run of the benchmarks on one machine.

    Attributes of a run that is not whole: ``select`` is the expression that chose its cases,
    ``shard`` its part of the set, such as ``"2/5"``; ``partial`` is true where it was stopped or
    merged without all shards, and ``left_out`` then names what was not timed.
    """

    date: str
    quick: bool
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    threads: Mapping[str, int]
    devices: Mapping[str, str]
    set_up: Mapping[str, float]
    settings: Mapping[str, Any]
    timings: tuple[Timing, ...]
    bandwidth: Mapping[str, Any]
    clock: tuple[Mapping[str, Any], ...]
    share: float
    seconds: float
    problems: tuple[str, ...]
    select: str = ""
    shard: str = ""
    partial: bool = False
    left_out: tuple[str, ...] = ()

    def topics(self) -> list[str]:
        """The topics that have timings, in the order of the file."""
        return list(dict.fromkeys(timing.topic for timing in self.timings))

    def gap(self) -> str:
        """What is missing of a whole run, as in ``"partial, without shard 2/5"``; or empty."""
        names, more = self.left_out[:3], len(self.left_out) - 3
        without = ", ".join(names) + (f" and {more} more" if more > 0 else "")
        found = [f"partial, without {without}"] if self.partial else []
        found += [f"only shard {self.shard}"] if self.shard else []
        return "; ".join(found)

    def outdated(self, pins: Mapping[str, str]) -> list[str]:
        """How the versions measured differ from the pinned ones, such as ``"jax 0.1, now 0.2"``."""
        return [
            f"{name} {version}, now {pins[name]}"
            for name, version in self.versions.items()
            if name in pins and version.split("+")[0] != pins[name]
        ]


def read(path: Path | str) -> Results:
    """Read one results file.

    Raises:
        ResultsError: there is no such file, or it is empty, cut off, or of another schema.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        document = json.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read: {error}") from error
    except json.JSONDecodeError as error:
        what = f"not JSON, or cut off: {error}" if text.strip() else "empty"
        raise ResultsError(f"{path}: {what}") from error
    try:
        return _from_document(document)
    except ResultsError as error:
        raise ResultsError(f"{path}: {error}") from error


def write(results: Results, path: Path) -> None:
    """Write a results file that ``read`` takes."""
    write_document({"schema": {"name": SCHEMA, "version": VERSION}, **asdict(results)}, path)


def write_document(document: Mapping[str, Any], path: Path) -> None:
    """Write what is to be in a results file.

    Raises:
        ResultsError: the path cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"{path}: cannot be written: {error.strerror}") from error


def read_all(folder: Path | str) -> tuple[dict[str, Results], list[str]]:
    """Every results file of a folder by its name without ``.json``, and what could not be read."""
    found: dict[str, Results] = {}
    problems = []
    for path in sorted(Path(folder).glob("*.json")):
        try:
            found[path.stem] = read(path)
        except ResultsError as error:
            problems.append(str(error))
    return found, problems


_TOP_LEVEL = {
    "date": str,
    "quick": bool,
    "machine": dict,
    "versions": dict,
    "threads": dict,
    "devices": dict,
    "set_up": dict,
    "settings": dict,
    "timings": list,
    "bandwidth": dict,
    "clock": list,
    "share": float,
    "seconds": float,
    "problems": list,
}
# Files of runs that are whole need not have these.
_OPTIONAL: dict[str, tuple[type, Any]] = {
    "select": (str, ""),
    "shard": (str, ""),
    "partial": (bool, False),
    "left_out": (list, []),
}
_CLOCK = (
    "framework", "function", "harness", "timeit", "torch_timer", "over_timeit",
    "over_torch_timer", "passed",
)  # fmt: skip


def _from_document(document: Any) -> Results:
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != {"name": SCHEMA, "version": VERSION}:
        raise ResultsError(f"its schema is {schema}, expected {SCHEMA} version {VERSION}")
    document = {key: default for key, (_, default) in _OPTIONAL.items()} | document
    kinds = _TOP_LEVEL | {key: kind for key, (kind, _) in _OPTIONAL.items()}
    for key, kind in kinds.items():
        if not isinstance(document.get(key), kind):
            got = type(document[key]).__name__ if key in document else "nothing"
            raise ResultsError(f"{key!r} must be a {kind.__name__}, and is {got}")
    _require(document["machine"], ("cpu", "cores", "memory_bytes"), "'machine'")
    _require(document["versions"], ("python",), "'versions'")
    _require(document["settings"], ("dtype",), "'settings'")
    for check in document["clock"]:
        _require(check, _CLOCK, "a clock check")
    values = {key: document[key] for key in kinds}
    values["timings"] = tuple(map(_timing, document["timings"]))
    values |= {key: tuple(document[key]) for key in ("clock", "problems", "left_out")}
    return Results(**values)


def _require(entry: Any, keys: Iterable[str], what: str) -> None:
    for key in keys:
        if not isinstance(entry, dict) or key not in entry:
            raise ResultsError(f"{what} lacks {key!r}")


def _timing(entry: Any) -> Timing:
    known = {field.name for field in fields(Timing)}
    try:
        timing = Timing(**{key: value for key, value in entry.items() if key in known})
        sound = timing.median > 0 and timing.spread >= 0 and math.isfinite(timing.median)
    except (TypeError, AttributeError) as error:
        raise ResultsError(f"a timing cannot be read: {entry!r}: {error}") from error
    if not sound:
        raise ResultsError(f"a timing is no positive number of seconds: {entry!r}")
    return timing
