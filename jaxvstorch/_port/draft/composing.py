"""Puts a draft together: the program in JAX, the layers and functions it needs, and its weights."""

import ast
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from jaxvstorch._pairs.source import bound, imports, names_read
from jaxvstorch._port.draft.commenting import NOTE, TODO
from jaxvstorch._port.draft.files import File, in_import_order
from jaxvstorch._port.draft.formatting import ordered_imports, tidy, written
from jaxvstorch._port.draft.helpers import needed
from jaxvstorch._port.draft.modules import RNGS, draws
from jaxvstorch._port.draft.reading import WithoutItem, names_in
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.styles import lines_of
from jaxvstorch._port.draft.styles.composing import layers_of, polished, restyled
from jaxvstorch._port.map.pasting import imports_of
from jaxvstorch._port.report_data import short


def compose(recording: Recording, of: str = "", style: str = "nnx") -> str:
    """The draft's source.

    Args:
        recording: of the program's run.
        of: what the draft is of, if not the program's files.
        style: that it is written in.

    Raises:
        CannotWriteError: the style has no words for something.
    """
    paths = dict.fromkeys(code.co_filename for code in recording.codes)
    paths |= dict.fromkeys(reversed(recording.mains))
    if recording.file.is_file():
        paths.setdefault(str(recording.file))
    resolved = {str(Path(path).resolve()): path for path in reversed(paths)}
    files = in_import_order([File(recording, path) for path in resolved.values()])
    files.sort(key=lambda file: file.path not in recording.extracted)
    step_names = set[str]()
    for file in files:
        file.rewriting.step_names = step_names
        file.rewrite()
    _compile_whole(files, step_names)
    drafted = {name for file in files for name in file.wanted}
    for file in files:
        file.rename(drafted)
    _hand_rngs_on(files)
    for file in files:
        file.finish()
    every = [n for file in files for n in (*file.constant_nodes, *file.nodes, *file.main)]
    for file in files:
        for part in (file.constant_nodes, file.main):
            read = {n for n in _device_names(part) if _is_read(n, every)}
            of_devices = [{*_device_names([node])} for node in part]
            part[:] = [n for n, names in zip(part, of_devices, strict=True) if not names - read]
    late = [n for file in files for n in file.constant_nodes if "paste." in ast.unparse(n)]
    parts, unparsed = list[str](), written if style == "nnx" else _unparsed
    for file in files:
        early = [node for node in file.constant_nodes if node not in late]
        parts.append(unparsed([n for n in early if not isinstance(n, ast.FunctionDef)]))
        parts += [unparsed([n]) for n in early if isinstance(n, ast.FunctionDef)]
        parts += [unparsed([node]) for node in file.nodes]
    main = [statement for file in files for statement in file.main]
    text = "\n\n\n".join(part for part in parts if part.strip())
    if style != "nnx":
        lines = dict[str, str]()
        for file in files:
            lines |= lines_of(file.path, [*file.constant_nodes, *file.nodes, *file.main])
        text, own = restyled(text, _unparsed(main), recording, style, lines)
        main = ast.parse(own).body
    end = _unparsed(late) + "\n\n\n" if late else ""
    end += f'if __name__ == "__main__":\n{_indented(unparsed(main))}' if main else ""
    source = _assembled(recording, files, text, end, drafted, of, style)
    return tidy(polished(source, recording) if style == "functions" else source)


def _assembled(
    recording: Recording,
    files: list[File],
    text: str,
    end: str,
    names: set[str],
    of: str,
    style: str,
) -> str:
    whole = f"{text}\n\n\n{end}"
    read = names_read(whole)
    lines = {line for file in files for line in file.imports(names, read)}
    nodes = ast.parse("\n".join(lines)).body
    imported = {*dict(imports(nodes)), *(name for node in nodes for name in bound(node))}
    loads = bool(recording.instances or recording.steps)
    known = None if style == "nnx" else layers_of(style)
    helpers = needed(whole, loads, imported, known)
    recording.names = helpers.names
    parts = [*helpers.bases, text, *helpers.pasted.values(), *helpers.own, end]
    body = helpers.in_text("\n\n\n".join(part for part in parts if part.strip()))
    folder = recording.folder
    own = [_within(f.path, folder) for f in files if f.path not in recording.extracted]
    of = of or ", ".join(own) or "a program"
    if recording.extracted:
        of += f", with {' and '.join(recording.extracted.values())},"
    first = ["from __future__ import annotations\n"] * (style == "equinox")  # fields before layers
    head = "\n".join([_heading(of, loads, style), *first, *_imports(helpers.pasted, body, lines)])
    return f"{head}\n\n\n{body}"


def _hand_rngs_on(files: list[File]) -> None:
    """Pass random numbers in the calls of functions that draw, and in those that call them."""
    drawing: set[str] = set()
    while True:
        new = {
            node.name
            for file in files
            for node in file.drawers()
            if node.name != "main" and (any(draws(node)) or _is_derived(node, drawing))
        } - drawing
        if not new:
            return
        drawing |= new
        for file in files:
            for node in (*file.nodes, *file.main):
                _PassRngs(new).visit(node)


def _compile_whole(files: list[File], steps: set[str]) -> None:
    """Leave out ``item()`` in the functions that compiled steps call: a number stays an array."""
    nodes = [n for file in files for n in file.nodes if isinstance(n, ast.FunctionDef)]
    functions, pending, done = {n.name: n for n in nodes}, sorted(steps), set[str]()
    while pending:
        if (name := pending.pop()) in done or name not in functions:
            continue
        done.add(name)
        WithoutItem().visit(functions[name])
        pending += sorted(names_in(functions[name], ast.Load))


def _device_names(nodes: Sequence[ast.stmt]) -> Iterator[str]:
    """The names of devices, and of whether there is one, that statements set."""
    for node in nodes:
        match node:
            case ast.If(body=[only], orelse=[other]):  # it asks for CUDA
                names = [{*_device_names([side])} for side in (only, other)]
                yield from names[0] | names[1] if all(names) else ()
            case ast.Assign([ast.Name(name)], value):
                if any(text in ast.unparse(value) for text in _DEVICES):
                    yield name


_DEVICES = ("jax.devices()[0]", "torch.cuda.is_available()", "jax.default_backend()")


def _is_read(name: str, nodes: Sequence[ast.stmt]) -> bool:
    return any(name in names_in(node, ast.Load) for node in nodes)


def _is_derived(node: ast.AST, names: set[str]) -> bool:
    """Whether it is a class that is derived from one of these names."""
    return isinstance(node, ast.ClassDef) and any(ast.unparse(b) in names for b in node.bases)


class _PassRngs(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.derived = False  # whether the class around is derived from one of them

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        outer, self.derived = self.derived, _is_derived(node, self.names)
        self.generic_visit(node)
        self.derived = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = isinstance(node.func, ast.Name) and node.func.id in self.names
        called = called or (self.derived and ast.unparse(node.func) == "super().__init__")
        if called and all(word.arg != "rngs" for word in node.keywords):
            node.keywords.append(ast.keyword("rngs", ast.Name(RNGS, ast.Load())))
        return node


def _unparsed(nodes: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(nodes, [])))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())


def _within(path: str, folder: Path) -> str:
    """A file's path in a program's folder."""
    inside = Path(path).is_relative_to(folder)
    return str(Path(path).relative_to(folder)) if inside else short(path)


def _heading(of: str, loads: bool, style: str) -> str:
    first = textwrap.fill(f"A draft of {of} in JAX, by jaxvstorch port.", 96)
    begin = "weights drawn as PyTorch's" if style == "functions" else "their library's own weights"
    weights = f"Layers begin with {begin}; `from_torch` copies PyTorch's.\n"
    return (
        f'"""{first}\n\n'
        "Each PyTorch call that the run made is here the map's JAX for it, verified on the\n"
        f"values of the run, except what is below a {TODO.strip(': ')} or a {NOTE.strip(': ')}.\n"
        f'{weights if loads else ""}"""\n'
    )


_LIBRARIES = {
    "jax": "import jax", "jnp": "import jax.numpy as jnp", "np": "import numpy as np",
    "lax": "from jax import lax",
    "math": "import math", "optax": "import optax", "nnx": "from flax import nnx",
    "partial": "from functools import partial", "einops": "import einops",
    "Array": "from jax import Array", "ocp": "import orbax.checkpoint as ocp",
    "Path": "from pathlib import Path", "eqx": "import equinox as eqx",
    "SimpleNamespace": "from types import SimpleNamespace",
    "torch": "import torch",
    "Any": "from typing import Any", "dataclass": "from dataclasses import dataclass",
}  # fmt: skip


def _imports(pasted: Iterable[str], text: str, program: set[str]) -> list[str]:
    """The import lines of a draft: of the standard library, of others, and of the program."""
    read = names_read(text)
    named = {line for name, line in _LIBRARIES.items() if name in read}
    return ordered_imports({*imports_of(pasted).splitlines(), *named, *program} - {""})
