"""The JSON Schema of each document that ``--json`` prints: ``python -m tools.json_schemas``.

It writes them anew into ``jaxvstorch/schemas``. A document may get new entries, and keeps those
that it has: what reads it today reads it tomorrow. To take one away, raise the document's version.
"""

import json
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import jaxvstorch
from jaxvstorch._diff.difference import Counted, Difference, Growth, Origin, Output, Place
from jaxvstorch._doctor.check import Check
from jaxvstorch._explain.explanation_data import Facts
from jaxvstorch._explain.ledger_rows import Ledger
from jaxvstorch._port.map.entry import VERSION, NameEntry
from jaxvstorch._port.report_data import PortCall

FOLDER = Path(jaxvstorch.__file__).parent / "schemas"
_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number"}


def entries(of: Any) -> dict[str, Any]:
    """The types of a dataclass, by name."""
    hints = get_type_hints(of)
    return {field.name: hints[field.name] for field in fields(of)}


def headed(kind: str, version: int, shape: dict[str, Any]) -> dict[str, Any]:
    """A document: its header, and its entries."""
    return {"schema": {"name": f"jaxvstorch-{kind}", "version": version}, **shape}


# A question mark ends the name of an entry that can be missing; a list has one kind of item.
_LEDGER = headed("ledger", 1, entries(Ledger))
_EXPLANATION = headed("explanation", 1, {**entries(Facts), "newer?": [str], "ledger?": _LEDGER})
_PAIR = {"name": str, "gradient": [int], "static": [str], "jit": bool, "fullgraph": bool}
_VALUE = {"name": str, "dtype?": str, "shape?": [int], "numbers?": list[Any],
          "type?": str, "value?": str}  # fmt: skip
_COMPARISON = {"what": str, "same": bool, "compared": bool, "report": str}
_LINE = {"file": str, "line": int, "source": str, "calls": [{**entries(PortCall), "times": int}]}
_SOURCE = {"file": str, "line": int, "function": str, "source": str}
_PLACE = entries(Place) | {"stack": [_SOURCE]}
_PLACE |= {f"{name}?": _SOURCE for name in ("then", "begins") if _PLACE.pop(name)}
_GROWTH = {key: kind for key, kind in entries(Growth).items() if key != "line"}
_GROWTH["line?"] = _SOURCE
_DIFFERENCE = entries(Difference)
del _DIFFERENCE["origin"]
DOCUMENTS = {
    "explanation": _EXPLANATION,
    "both": headed("both", 1, {
        "printed": dict[str, str], "jax": _EXPLANATION, "torch": _EXPLANATION,
    }),
    "list": headed("list", 1, {"topics": [{"name": str, "summary": str, "pairs": [_PAIR]}]}),
    "show": headed("show", 1, {"pairs": [{"name": str, "topic": str, "sources": dict[str, str]}]}),
    "try": headed("try", 1, {
        "name": str, "same": bool | None, "arguments": [_VALUE],
        "results": ([_VALUE],), "comparisons": [_COMPARISON],
    }),
    "error": headed("error", 1, {
        "found": [{
            "entry": str, "message": str, "file": str | None, "line": int | None, "cure": str,
            "address": str,
        }],
        "nearest": [str],
    }),
    "map": headed("map", VERSION, {"names": [NameEntry]}),
    "port": headed("port", 2, {
        "framework": str, "ended": str | None, "seconds": float | None, "verified": float | None,
        "counts": dict[str, int], "beyond": int, "lines": [_LINE], "unreached": [_LINE],
        "notes": [str], "parity": dict[str, str],
    }),
    "diff": headed("diff", 1, {
        "same": bool, "dtype": str, "notes": [str], "counted": [Counted], "steps": int, "step": int,
        "growth": [_GROWTH],
        "outputs": [entries(Output) | {"gap": float | None, "roundings": float | None}],
        "differences": [
            _DIFFERENCE | {"places": [_PLACE], "effect": float | None, "origin?": Origin},
        ],
    }),
    "doctor": headed("doctor", 1, {"healthy": bool, "checks": [Check]}),
}  # fmt: skip


def schema(shape: Any) -> dict[str, Any]:
    """The schema of a shape: a type, or a dictionary, a list or a value that stands for one."""
    if isinstance(shape, dict):
        return _object(shape)
    if isinstance(shape, list):
        return {"type": "array", "items": schema(shape[0])}
    if isinstance(shape, tuple):  # of what a dictionary holds
        return {"type": "object", "additionalProperties": schema(shape[0])}
    if isinstance(shape, str | int):
        return {"const": shape}
    if is_dataclass(shape):
        return _object(entries(shape))
    return _of_type(shape, get_origin(shape), get_args(shape))


def _of_type(shape: Any, origin: Any, parts: tuple[Any, ...]) -> dict[str, Any]:
    if origin is types.UnionType:
        return {"anyOf": [schema(part) for part in parts]}
    if origin is tuple and parts[-1] is not ...:
        return {"type": "array", "prefixItems": [schema(part) for part in parts]}
    if origin in (list, tuple):
        return {"type": "array", "items": schema(parts[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema(parts[1])}
    if shape is Any:
        return {}
    if shape is types.NoneType:
        return {"type": "null"}
    if issubclass(shape, StrEnum):  # which may get members
        return {"type": "string", "examples": [str(member) for member in shape]}
    return {"type": _NAMES[shape]}


def _object(shape: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name.rstrip("?"): schema(part) for name, part in shape.items()},
        "required": [name for name in shape if not name.endswith("?")],
    }


def document(kind: str) -> dict[str, Any]:
    """The whole schema of a document."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "title": f"jaxvstorch {kind}", **schema(DOCUMENTS[kind])}


def lost(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """What a schema asked for and another one does not: each with its place."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            if key not in ("examples", "title"):
                yield from lost(value, now.get(key), f"{place}/{key}")
    elif isinstance(before, list) and isinstance(now, list):
        kept = [each for each in before if any(not [*lost(each, other)] for other in now)]
        yield from (f"{place}/{each}" for each in before if each not in kept)
    elif before != now:
        yield place


def main() -> None:
    """Write all schemas, unless one lost something."""
    for kind in DOCUMENTS:
        file, new = FOLDER / f"{kind}.json", document(kind)
        old = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        version = "/properties/schema/properties/version/const"
        if (gone := [*lost(old, new)]) and version not in gone:
            raise SystemExit(f"{kind}: raise its version, or keep {', '.join(gone)}")
        file.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
