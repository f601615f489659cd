"""What a results file must hold; ``benchmarks/results.schema.json`` says it for other tools."""

import re
import reprlib
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from jaxvstorch import results_kinds as known
from jaxvstorch.results_kinds import Kind
from jaxvstorch.timings import Timing

SCHEMA = "jaxvstorch-benchmarks"
VERSION = 5

AGAIN = "measure again with `nox -s bench`"
# As many shards as a set can have: it has some 200 parts that are never divided.
SHARD = re.compile(r"([0-9]{1,3}/[0-9]{1,3})?")


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
        timings = tuple(
            _timing(entry, f"timing {number}", entries["devices"])
            for number, entry in enumerate(entries["timings"], start=1)
        )
        _check_once(timings)
    except ResultsError as error:
        raise ResultsError(f"{error}: it was changed since it was written; {AGAIN}") from None
    tuples = {key: tuple(entries[key]) for key in ("clock", "problems", "left_out")}
    return entries | tuples | {"timings": timings}


def _check_schema(document: Any) -> None:
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, dict) or schema.get("name") != SCHEMA:
        raise ResultsError(f"its schema is {_short(schema)}: give a file that `nox -s bench` wrote")
    if (version := schema.get("version")) != VERSION:
        newer = isinstance(version, int) and version > VERSION
        cure = "read it with a newer jaxvstorch" if newer else AGAIN
        found = _short(version)
        raise ResultsError(f"its schema is version {found}, and {VERSION} is read here: {cure}")


def _check_shape(entries: Mapping[str, Any]) -> None:
    _check_entry(entries, known.FILE, "the file")
    if not SHARD.fullmatch(entries["shard"]):
        raise ResultsError(
            f"'shard' of the file must be such as 2/5, and is {_short(entries['shard'])}"
        )
    if not entries["seconds"]:
        raise ResultsError("'seconds' of the file must be more than 0")
    for key, kind in known.EACH.items():
        found = entries[key].items() if isinstance(entries[key], dict) else enumerate(entries[key])
        for name, value in found:
            _check(value, kind, f"{name!r} of {key!r}")
    for name in ("dtype", "matmul_precision"):
        _check(entries["settings"].get(name), str, f"{name!r} of 'settings'")
    _check(entries["settings"].get("gpu_memory", 0), int, "'gpu_memory' of 'settings'")
    _check(entries["versions"].get("python"), str, "'python' of 'versions'")
    _check_entry(entries["machine"], known.MACHINE, "'machine'")
    for number, gpu in enumerate(entries["machine"]["gpus"] or (), start=1):
        _check_entry(gpu, known.GPU, f"GPU {number}")
    for framework, device in entries["devices"].items():
        _check_entry(device, known.DEVICE, f"the device of {framework}")
    for number, check in enumerate(entries["clock"], start=1):
        _check_entry(check, known.CLOCK, f"clock check {number}")


def _check_entry(entry: Any, kinds: Mapping[str, Kind], what: str) -> None:
    """A dictionary that has these keys and no others."""
    _check(entry, dict, what)
    for key, kind in kinds.items():
        if key not in entry:
            raise ResultsError(f"{what} lacks {key!r}")
        _check(entry[key], kind, f"{key!r} of {what}")
    if unknown := entry.keys() - kinds.keys():
        raise ResultsError(f"{_short(min(unknown))} of {what} is not known")


def _check(value: Any, kind: Kind, what: str) -> None:
    """A value of its kind; a number is finite, and nothing here is below zero."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = isinstance(value, kind) or (number and isinstance(0.0, kind))
    if not fits or (isinstance(value, bool) and kind is not bool):
        name = kind.__name__ if isinstance(kind, type) else str(kind)
        raise ResultsError(f"{what} must be {name}, and is {_short(value)}")
    if number and not 0 <= value <= sys.float_info.max:
        raise ResultsError(f"{what} must be finite and not negative, and is {_short(value)}")


def _timing(entry: Any, what: str, devices: Mapping[str, Any]) -> Timing:
    _check(entry, dict, what)
    kinds = {key: kind for key, kind in known.TIMING.items() if key in known.ALWAYS or key in entry}
    _check_entry(entry, kinds, what)
    if entry["framework"] not in known.FRAMEWORKS:
        raise ResultsError(f"'framework' of {what} is none of {', '.join(known.FRAMEWORKS)}")
    if not entry["minimum"]:
        raise ResultsError(f"'minimum' of {what} must be more than 0")
    platform = devices.get(entry["framework"], {"platform": ""})["platform"]
    return Timing(**entry, platform=platform)


def _check_once(timings: Iterable[Timing]) -> None:
    """Each function was timed once in each way; of two times, none would be the one to show."""
    seen: dict[object, int] = {}
    for number, t in enumerate(timings, start=1):
        key = (t.topic, t.name, t.size, t.framework, t.mode)
        first = seen.setdefault(key, number)
        if first != number:
            raise ResultsError(f"timing {number} is of the same call as timing {first}")


def _short(value: object) -> str:
    """A value as Python writes it, cut where it is long."""
    return reprlib.repr(value)
