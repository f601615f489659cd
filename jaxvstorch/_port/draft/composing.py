"""Puts a draft together: helpers, PyTorch's own modules, and the program's definitions in JAX."""

import ast
import builtins
import re
from collections.abc import Iterable
from pathlib import Path

from jaxvstorch._port.draft.expressions import UNREACHED, UNSEEN
from jaxvstorch._port.draft.files import File, in_import_order
from jaxvstorch._port.draft.layers import layer
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.rewriting import TODO
from jaxvstorch._port.map.pasting import imports_of, sources
from jaxvstorch._port.report_data import PortStatus, short

_BASE = Path(__file__).with_name("base.txt")


def compose(recording: Recording) -> str:
    """The draft's source."""
    files = dict.fromkeys(code.co_filename for code in recording.codes)
    drafted = in_import_order([File(recording, file) for file in files])
    names = {name for file in drafted for name in file.wanted}
    imports = sorted({line for file in drafted for line in file.imports(names)})
    layers = [layer(cls, module, _mark(recording, cls)) for cls, module in recording.layers.items()]
    for cls, module in recording.base_layers():
        mark = f"torch.nn.{cls.__name__} {UNSEEN}"
        layers.append(layer(cls, module, mark, f"Torch{cls.__name__}"))
    text = "\n\n\n".join([*layers, *(part for file in drafted for part in file.sources())])
    pasted, text = _with_pasted(text, names)
    classes = recording.layers or recording.classes or "(Module):" in text
    base = _BASE.read_text(encoding="utf-8") if classes else ""
    body = "\n\n\n".join(part for part in (*pasted.values(), base, text) if part.strip())
    head = "\n".join([_heading(files), *_imports(pasted, body), *imports])
    return _tidy(f"{head}\n\n\n{body}")


def _with_pasted(text: str, taken: set[str]) -> tuple[dict[str, str], str]:
    """The sources of the map's functions that a text calls, and the text with their names."""
    pasted = sources(sorted(set(re.findall(r"\bpaste\.(\w+)", text))))
    new = {name: f"{name}_" for name in pasted if name in taken or hasattr(builtins, name)}
    text = re.sub(r"\bpaste\.(\w+)", lambda match: new.get(match[1], match[1]), text)
    return {name: _Renamed(new).of(source) for name, source in pasted.items()}, text


class _Renamed(ast.NodeTransformer):
    def __init__(self, new: dict[str, str]) -> None:
        self.new = new

    def of(self, source: str) -> str:
        """The source with the new names; unchanged where it has none of them."""
        if not any(re.search(rf"\b{name}\b", source) for name in self.new):
            return source
        return ast.unparse(self.visit(ast.parse(source)))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.new.get(node.id, node.id), node.ctx)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        taken = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        inner = _Renamed({name: new for name, new in self.new.items() if name not in taken})
        node.name = self.new.get(node.name, node.name)
        inner.generic_visit(node)
        return node


def count_marks(source: str) -> int:
    """How many places a draft marks as left to do."""
    return source.count(f"# {TODO}")


def _heading(files: Iterable[str]) -> str:
    names = ", ".join(short(file) for file in files) or "a program"
    return (
        f'"""A draft of {names} in JAX, by jaxvstorch port.\n\n'
        "Each PyTorch call that the run made is here the map's JAX for it, verified on the values\n"
        f'of the run, except what is below a {TODO.strip(": ")}.\n"""\n'
    )


_LIBRARIES = {
    "jax": "import jax", "jnp": "import jax.numpy as jnp", "lax": "from jax import lax",
    "math": "import math", "optax": "import optax",
}  # fmt: skip


def _imports(pasted: Iterable[str], text: str) -> list[str]:
    """The import lines of the functions pasted, and of the libraries that a text names."""
    named = [line for name, line in _LIBRARIES.items() if re.search(rf"\b{name}\.", text)]
    lines = {*imports_of(pasted).splitlines(), *named}
    return sorted(lines, key=lambda line: (line.startswith("from"), line))


def _mark(recording: Recording, cls: type) -> str:
    """The mark of a layer's class: what is left to do with it, or nothing."""
    name = f"torch.nn.{cls.__name__}"
    calls = {call for several in recording.calls.values() for call in several if call.name == name}
    if not calls:
        return f"{name} {UNREACHED}"
    left = {call.status for call in calls} - {PortStatus.VERIFIED}
    if left == {PortStatus.RANDOM}:
        return "drop some in training: pass a key"
    return "not verified" if left else ""


def _tidy(source: str) -> str:
    """Turn marks into comments, which a syntax tree cannot hold."""
    lines = []
    for line in source.splitlines():
        mark = re.match(rf'(\s*)("""|"|\'){TODO}(.*)\2$', line)
        lines.append(f"{mark[1]}# {TODO}{mark[3]}" if mark else line.rstrip())
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).rstrip() + "\n"
