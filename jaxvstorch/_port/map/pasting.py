"""The functions of ``paste`` that an expression of the map calls: their sources and imports."""

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jaxvstorch._pairs import source
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning


def to_paste(row: Row) -> dict[str, str]:
    """The sources of the functions that a row's expression needs, and that those need in turn."""
    meant = meaning(row)
    names = [*meant.jax_names, *meant.torch_names, *meant.further_names]
    pasted = (name.removeprefix("paste.") for name in names if name.startswith("paste."))
    return sources(pasted, folder_of(row))


def folder_of(row: Row) -> str:
    """Where the functions of a row's expression are: those for JAX, or those for PyTorch."""
    return "paste" if row.framework == "torch" else "paste_torch"


def sources(names: Iterable[str], folder: str = "paste") -> dict[str, str]:
    """The sources of functions of a folder, by name, and of those that they call."""
    texts: dict[str, str] = {}
    pending = list(names)
    while pending:
        name = pending.pop(0)
        if name not in texts:
            texts[name] = _pasted(folder)[name].text
            pending += _pasted(folder)[name].needed
    return texts


def imports_of(names: Iterable[str], folder: str = "paste") -> str:
    """The import lines that functions of a folder need."""
    lines = {line for name in names for line in _pasted(folder)[name].imports}
    return "\n".join(sorted(lines, key=lambda line: (line.startswith("from"), line)))


class _Source(NamedTuple):
    """A function or constant, what it needs of the package, and the imports that it needs."""

    text: str
    needed: list[str]
    imports: list[str]


@cache
def _pasted(folder: str) -> dict[str, _Source]:
    by_name: dict[str, _Source] = {}
    for file in sorted(Path(__file__).with_name(folder).glob("*.py")):
        text = file.read_text(encoding="utf-8")
        body, written = ast.parse(text).body, text.splitlines()
        imports = dict(source.imports(body))
        package = f"from {__package__}.{folder}"
        shared = {name for name, line in imports.items() if line.startswith(package)}
        defined = {name: node for node in body for name in source.bound(node)}
        for name, node in defined.items():
            segment = "\n".join(written[node.lineno - 1 : node.end_lineno])
            read = source.names_read(segment) - {name}
            needed = sorted(read & {*defined, *shared})
            lines = [imports[used] for used in sorted(read & {*imports} - shared)]
            by_name[name] = _Source(segment, needed, lines)
    return by_name
