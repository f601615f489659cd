"""What a results file must hold; ``benchmarks/results.schema.json`` says it for other tools."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from jaxvstorch.timings import Timing

SCHEMA = "jaxvstorch-benchmarks"
VERSION = 2

_AGAIN = "measure again with `nox -s bench`"
_KINDS: dict[str, type] = {
    "date": str,
    "quick": bool,
    "select": str,
    "shard": str,
    "partial": bool,
    "left_out": list,
    "seconds": float,
    "share": float,
    "commit": str,
    "image": str,
    "machine": dict,
    "versions": dict,
    "threads": dict,
    "devices": dict,
    "precision": dict,
    "peak_memory": dict,
    "set_up": dict,
    "settings": dict,
    "problems": list,
    "clock": list,
    "timings": list,
}
_MACHINE = ("cpu", "cores", "memory_bytes", "system", "driver", "gpus")
_DEVICE = ("platform", "name", "cuda")
_CLOCK = (
    "framework", "function", "harness", "timeit", "torch_timer", "over_timeit",
    "over_torch_timer", "passed",
)  # fmt: skip


class ResultsError(ValueError):
    """A file is no results file that this version can read; the message says why."""


def checked(document: Any) -> dict[str, Any]:
    """The entries of a results document, its timings made ``Timing`` and its lists tuples.

    Raises:
        ResultsError: its schema or its shape is another; the message says what to do.
    """
    _check_schema(document)
    entries = {key: value for key, value in document.items() if key != "schema"}
    try:
        _check_shape(entries)
        timings = tuple(_timing(entry, entries["devices"]) for entry in entries["timings"])
    except ResultsError as error:
        raise ResultsError(f"{error}: it was changed since it was written; {_AGAIN}") from None
    tuples = {key: tuple(entries[key]) for key in ("clock", "problems", "left_out")}
    return entries | tuples | {"timings": timings}


def _check_schema(document: Any) -> None:
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, dict) or schema.get("name") != SCHEMA:
        raise ResultsError(f"its schema is {schema}: give a file that `nox -s bench` wrote")
    if (version := schema.get("version")) != VERSION:
        newer = isinstance(version, int) and version > VERSION
        cure = "read it with a newer jaxvstorch" if newer else _AGAIN
        raise ResultsError(f"its schema is version {version}, and {VERSION} is read here: {cure}")


def _check_shape(entries: Mapping[str, Any]) -> None:
    for key, kind in _KINDS.items():
        if not isinstance(entries.get(key), kind):
            got = type(entries[key]).__name__ if key in entries else "nothing"
            raise ResultsError(f"{key!r} must be a {kind.__name__}, and is {got}")
    if unknown := entries.keys() - _KINDS.keys():
        raise ResultsError(f"{min(unknown)!r} is not known")
    _require(entries["machine"], _MACHINE, "'machine'")
    _require(entries["versions"], ("python",), "'versions'")
    _require(entries["settings"], ("dtype", "matmul_precision"), "'settings'")
    for framework, device in entries["devices"].items():
        _require(device, _DEVICE, f"the device of {framework}")
    for check in entries["clock"]:
        _require(check, _CLOCK, "a clock check")


def _require(entry: Any, keys: Iterable[str], what: str) -> None:
    for key in keys:
        if not isinstance(entry, dict) or key not in entry:
            raise ResultsError(f"{what} lacks {key!r}")


def _timing(entry: Any, devices: Mapping[str, Any]) -> Timing:
    try:
        platform = devices.get(entry["framework"], {"platform": ""})["platform"]
        timing = Timing(**entry, platform=platform)
        sound = timing.median > 0 and timing.spread >= 0 and math.isfinite(timing.median)
    except (KeyError, TypeError) as error:
        raise ResultsError(f"a timing cannot be read: {entry!r}: {error}") from error
    if not sound:
        raise ResultsError(f"a timing is no positive number of seconds: {entry!r}")
    return timing
