"""The committed file: what was compiled, when, by which versions, and what came of it."""

import dataclasses
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jaxvstorch._hardware.analysis import Analysis
from jaxvstorch._hardware.counting import Collective
from jaxvstorch._hardware.inductor_code import Generated

FILE = Path(__file__).with_name("compiled.json")


@dataclass(frozen=True)
class Entry:
    """One program as it was when it was compiled.

    Attributes:
        digests: of its code and its arguments, by framework.
        xla: what XLA made of it, by device.
        inductor: what Inductor made of it for an H100; ``None`` if it was not asked.
    """

    digests: dict[str, str]
    xla: dict[str, Analysis]
    inductor: Generated | None = None


@dataclass(frozen=True)
class Recorded:
    """The whole file.

    Attributes:
        date: when all this was compiled.
        versions: of the packages that took part.
        programs: the entries, by the text of their ``Program``.
    """

    date: str
    versions: dict[str, str]
    programs: dict[str, Entry]


@cache
def recorded() -> Recorded:
    """What is committed."""
    return load(FILE.read_text(encoding="utf-8"))


def load(text: str) -> Recorded:
    """Read it.

    Raises:
        TypeError, KeyError: something is missing, or is there that should not be.
        ValueError: it is no JSON, as when it is cut off.
    """
    found = json.loads(text)
    programs = {name: _entry(entry) for name, entry in found.pop("programs").items()}
    return Recorded(**found, programs=programs)


def dump(found: Recorded) -> str:
    """Write it, without what there is nothing to say of."""
    return json.dumps(_told(dataclasses.asdict(found)), indent=1, ensure_ascii=False) + "\n"


def _entry(entry: dict[str, Any]) -> Entry:
    xla = {device: _analysis(analysis) for device, analysis in entry.pop("xla", {}).items()}
    inductor = entry.pop("inductor", None)
    made = Generated(**inductor) if inductor else None
    return Entry(entry.pop("digests", {}), xla, made, **entry)


def _analysis(analysis: dict[str, Any]) -> Analysis:
    kinds = tuple(Collective(**kind) for kind in analysis.pop("collectives", ()))
    return Analysis(**analysis, collectives=kinds)


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _told(v) for k, v in value.items() if v is not None and v not in ((), {})}
    return [_told(item) for item in value] if isinstance(value, list | tuple) else value
