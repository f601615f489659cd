"""Expected marks: how they are stored, and compared with an explanation.

They are stored in TOML files under ``marks/``: one table per explained function and source, with
one entry per statement, by the offset of its line from the first line of its source::

    [layers.layers]
    8 = ["traced ! unrolled", "for _ in range(num_layers):"]
    9 = ["A8 x2", "x = jnp.tanh(x @ weights)"]

An entry is the mark as ``describe`` words it; ``x2`` where the line was traced twice in one run;
after ``!`` the kinds of the findings at that line; and the line's text. Findings that are at no
line shown stand in the table of the function under ``elsewhere``. A file about the code of others
holds no texts, and names under ``versions`` what it was checked with. What a newer PyTorch makes of
a function has a table named after that version, as in ``["2.14".layers.layers]``.

Nothing writes these files. Where an explanation is not as expected, the failure shows what differs,
and the tables as they would have to be: read them, ask of each line whether it is true, then paste.
"""

import json
import re
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from framework_versions import has

from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.marks import Line, describe
from jaxvstorch._frameworks.proven import release

FOLDER = Path(__file__).with_name("marks")


def check(file: str, name: str, explanation: Explanation) -> None:
    """Compare every statement of every source; an AssertionError names each line that differs.

    Skips the test where the file was checked with other versions than are installed.

    Args:
        file: under ``marks/``.
        name: the explained function's, in the file.
        explanation: what is to be checked.
    """
    __tracebackhide__ = True  # the message says it all
    tables = kept(file)
    versions = tables.pop("versions", {})
    for package, checked_with in versions.items():
        if _installed(package) != checked_with:
            pytest.skip(f"checked with {package} {checked_with}, not {_installed(package)}")
    differences = list(_differences(tables.get(name, {}), marks_of(explanation)))
    if not differences and name in tables:
        return
    what = "\n".join(["the marks differ:", *differences]) if name in tables else "no marks are kept"
    raise AssertionError(
        f"{name}: {what}\n\nRead what explain found, and ask of each line whether it is true. Then "
        f"paste it\ninto {(FOLDER / file).relative_to(Path(__file__).parents[2])}:\n\n"
        f"{as_toml(name, explanation, texts=not versions)}\n"
    )


def kept(file: str) -> dict[str, Any]:
    """All tables of one file under ``marks/``, by the explained function's name."""
    path = FOLDER / file
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for minor in sorted(filter(_MINOR.fullmatch, tables), key=release):
        newer = tables.pop(minor)
        if has("torch", minor):
            tables |= newer
    return tables


_MINOR = re.compile(r"\d+\.\d+")


def _installed(package: str) -> str:
    if package == "python":
        return ".".join(map(str, sys.version_info[:2]))
    return version(package).partition("+")[0]


def marks_of(explanation: Explanation) -> dict[str, Any]:
    """An explanation in the same form, each entry as a list of mark and text."""
    kinds = defaultdict(list)
    for finding in explanation.findings:
        kinds[finding.file, finding.line].append(finding.kind)
    tables: dict[str, Any] = {}
    for source in explanation.sources:
        first = source.lines[0].number
        tables[source.name] = {
            str(line.number - first): [entry, line.text.strip()]
            for line in source.lines
            if (entry := _entry(line, kinds.pop((source.file, line.number), [])))
        }
    if kinds:
        tables["elsewhere"] = sorted(kind for line_kinds in kinds.values() for kind in line_kinds)
    return tables


def _entry(line: Line, kinds: list[str]) -> str:
    visits = f"x{line.visits}" if line.visits > 1 else ""
    findings = f"! {', '.join(sorted(kinds))}" if kinds else ""
    return " ".join(part for part in (describe(line), visits, findings) if part)


def as_toml(name: str, explanation: Explanation, texts: bool = True) -> str:
    """The tables of one explained function, as a file holds them."""
    tables = marks_of(explanation)
    elsewhere = tables.pop("elsewhere", None)
    lines = [f"[{_key(name)}]", f"elsewhere = {json.dumps(elsewhere)}"] if elsewhere else []
    for source, entries in tables.items():
        lines.append(f"[{_key(name)}.{_key(source)}]")
        for offset, (entry, text) in entries.items():
            value = [entry, text] if texts else entry
            lines.append(f"{offset} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)


def _differences(tables: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    differences = []
    for source in dict.fromkeys([*tables, *actual]):
        old, new = tables.get(source, {}), actual.get(source, {})
        if source == "elsewhere":
            differences += [f"  elsewhere: expected {old}, found {new}"] if old != new else []
            continue
        for offset in sorted({*old, *new}, key=int):
            before, now = old.get(offset), new.get(offset)
            if before != now and (now is None or before != now[0]):
                differences.append(
                    f"  {source} {offset}: expected {_as_words(before)}, found {_as_words(now)}"
                )
    return differences


def _as_words(entry: Any) -> str:
    return "nothing" if not entry else json.dumps(entry, ensure_ascii=False)
