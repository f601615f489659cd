"""The committed file: what was compiled, when, by which versions, and with what result."""

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
        xla: what XLA compiled, by device.
        inductor: what Inductor wrote for an H100; ``None`` if it did not compile the program.
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
    """Read the committed file."""
    return load(FILE.read_text(encoding="utf-8"))


def load(text: str) -> Recorded:
    """Read the file's text.

    Raises:
        TypeError, KeyError: a field is missing or unknown.
        ValueError: the text is no JSON, as when it is cut off.
    """
    content = json.loads(text)
    programs = {name: _entry(entry) for name, entry in content.pop("programs").items()}
    return Recorded(**content, programs=programs)


def dump(record: Recorded) -> str:
    """Write the file's text, without empty values."""
    values = _without_empty(dataclasses.asdict(record))
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def _entry(entry: dict[str, Any]) -> Entry:
    xla = {device: _analysis(analysis) for device, analysis in entry.pop("xla", {}).items()}
    inductor = entry.pop("inductor", None)
    code = Generated(**inductor) if inductor else None
    return Entry(entry.pop("digests", {}), xla, code, **entry)


def _analysis(analysis: dict[str, Any]) -> Analysis:
    kinds = tuple(Collective(**kind) for kind in analysis.pop("collectives", ()))
    return Analysis(**analysis, collectives=kinds)


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if item not in (None, (), {})}
        return {key: _without_empty(item) for key, item in kept.items()}
    return [_without_empty(item) for item in value] if isinstance(value, list | tuple) else value
