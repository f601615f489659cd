"""Puts a draft in PyTorch together: imports, the layers it needs, the program, its weights."""

import ast
import builtins
import re
import symtable
import textwrap
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from jaxvstorch._pairs.source import names_read
from jaxvstorch._port.draft.commenting import TODO, is_blank, is_marker
from jaxvstorch._port.draft.formatting import ordered_imports, tidy
from jaxvstorch._port.imports import imported_names
from jaxvstorch._port.map.pasting import imports_of, sources
from jaxvstorch._port.report_data import short
from jaxvstorch._port.torch_draft import kinds
from jaxvstorch._port.torch_draft.classes import Classes, rename
from jaxvstorch._port.torch_draft.files import names_made
from jaxvstorch._port.torch_draft.idioms import MeanLosses
from jaxvstorch._port.torch_draft.leftovers import (
    can_be_imported,
    mark_leftovers,
    mark_unbound,
    name_apart,
)
from jaxvstorch._port.torch_draft.merging import Merging
from jaxvstorch._port.torch_draft.recording import Recording
from jaxvstorch._port.torch_draft.returns import without_unchanged

_LIBRARIES = {
    "torch": "import torch", "F": "import torch.nn.functional as F", "nn": "from torch import nn",
    "np": "import numpy as np", "math": "import math", "copy": "import copy",
    "Tensor": "from torch import Tensor",
    "tree_map": "from torch.utils._pytree import tree_map",
    "tree_leaves": "from torch.utils._pytree import tree_leaves",
    "tree_map_with_path": "from torch.utils._pytree import tree_map_with_path",
    "Callable": "from collections.abc import Callable",
    "dataclass": "from dataclasses import dataclass",
}  # fmt: skip
_OF_JAX = ("jax", "flax", "optax", "equinox", "jaxtyping", "chex", "orbax", "clu")
_TRAIN_STATE = '''@dataclass
class TrainState:
    """A model and its optimizer."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
'''
_TRAINABLE = '''def trainable(tree):
    """The tensors of a tree, with gradients."""
    return [leaf.requires_grad_() for leaf in tree_leaves(tree)]
'''


def compose(recording: Recording) -> tuple[str, Classes]:
    """The draft's source, and what rewrote it."""
    merging = Merging(recording.program)
    tree = merging.tree(with_comments=True)
    rewriter = Classes(recording, merging.tree(with_comments=False), merging)
    rewriter.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    rewriter.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    docstring = ast.get_docstring(recording.program.main.tree)
    body = tree.body[1:] if docstring else tree.body
    imported, statements = list[str](), list[ast.stmt]()
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported += _kept(node)
        else:
            statements.append(node)
    rewriter.note_steps(statements)
    new = rewriter.statements(statements)
    for node in new:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            rename(node, rewriter.renamed())
    of_jax = {name: full for name, full in imported_names(tree).items()
              if full.partition(".")[0] in _OF_JAX}  # fmt: skip
    module = ast.Module(new, [])
    names = {name: full for name, full in of_jax.items()
             if name not in _LIBRARIES and not full.endswith(".TrainState")}  # fmt: skip
    names |= name_apart(module, rewriter.tree, {n: of_jax[n] for n in of_jax.keys() - names.keys()})
    mark_leftovers(module, names)
    held = {name for (line, name), of in recording.kinds.items()
            if line == 0 and of == {kinds.FUNCTION}}  # fmt: skip
    definitions, main = _parts(module.body, held)
    whole = ast.Module([*definitions, *main], [])
    without_unchanged(whole)
    MeanLosses().visit(whole)
    main = _without_guard(main)
    unbound = _unbound(ast.Module([*definitions, *main], []), names, imported)
    mark_unbound(part := ast.Module(definitions, []), unbound)
    mark_unbound(rest := ast.Module(main, []), unbound)
    part.body = can_be_imported(part.body, {*names, *unbound})
    text = _unparsed(part.body).strip("\n")
    end = f'if __name__ == "__main__":\n{_indented(_unparsed(rest.body))}' if main else ""
    own = _own_layers(f"{text}\n{end}", bool(recording.modules))
    loads = [part for part in own if part.startswith("def from_jax")]
    own = [part for part in own if part not in loads]
    read = names_read(f"{text}\n{end}")
    own += [_TRAIN_STATE] * ("TrainState" in read) + [_TRAINABLE] * ("trainable" in read)
    parts = [text, *own] if _stand_last(own, part.body) else [*own, text]
    code = _shortened("\n\n\n".join([*parts, *loads, end]))
    pasted = _pasted(code)
    taken = {n.id for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name)
             and isinstance(n.ctx, ast.Store)} & pasted.keys()  # fmt: skip
    for name in pasted:
        free = f"{name}_" if name in taken else name
        code = re.sub(rf"\bpaste\.{name}\b", free, code)
        pasted = {k: re.sub(rf"(?<!\.)\b{name}\(", f"{free}(", v) for k, v in pasted.items()}
    code = "\n\n\n".join([*pasted.values(), code])
    read = names_read(code)
    lines = {line for name, line in _LIBRARIES.items() if name in read}
    lines |= {line for line in imported if names_bound(line) & read}
    lines |= {*imports_of(pasted, "paste_torch").splitlines()} - {""}
    head = [_heading(recording, docstring), *ordered_imports(lines)]
    return tidy("\n".join(head) + f"\n\n\n{code}"), rewriter


def _without_guard(main: list[ast.stmt]) -> list[ast.stmt]:
    """What a program runs, without the ``if`` around it."""
    first = next((i for i, s in enumerate(main) if not is_marker(s)), 0)
    if len(main) == first + 1 and _is_guard(main[first]):
        above = [s for s in main[:first] if not is_blank(s)]
        return [*above, *main[first].body]  # type: ignore[attr-defined]
    return main


def _unbound(module: ast.Module, of_jax: Collection[str], imported: list[str]) -> set[str]:
    """The names that a draft uses and nothing makes, besides those of JAX."""
    text = _unparsed(module.body)
    known = {*dir(builtins), *_LIBRARIES, *_sources(), *of_jax, "TrainState", "trainable", "paste"}
    known |= {"_same", "__file__", "__name__"}.union(*map(names_bound, imported))
    table = symtable.symtable(text, "", "exec")
    known |= {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    return names_read(text) - known


def _kept(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The lines of an import that are not of JAX or its libraries."""
    if isinstance(node, ast.ImportFrom):
        of_jax = (node.module or "").partition(".")[0] in _OF_JAX
        return [] if of_jax else [ast.unparse(ast.ImportFrom(node.module, [alias], node.level))
                                  for alias in node.names]  # fmt: skip
    return [ast.unparse(ast.Import([alias])) for alias in node.names
            if alias.name.partition(".")[0] not in _OF_JAX]  # fmt: skip


def names_bound(line: str) -> set[str]:
    """The names that an import line binds."""
    node: Any = ast.parse(line).body[0]
    return {(a.asname or a.name).partition(".")[0] for a in node.names}


def _parts(
    body: list[ast.stmt], functions: Collection[str]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The definitions and constants, and what the program runs.

    A program that guards what it runs keeps its order.

    Args:
        body: of the draft.
        functions: names that hold one, such as `torch.vmap` of another.
    """
    guarded, made = any(map(_is_guard, body)), set[str]()
    definitions, main, pending = list[ast.stmt](), list[ast.stmt](), list[ast.stmt]()
    for node in body:
        if is_marker(node) or _is_mark(node):
            pending.append(node)
            continue
        constant = isinstance(node, ast.Assign) and _is_constant(node.value) and not main
        is_held = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in functions
        is_held = is_held and not names_read(_unparsed([node])) & made
        kept = guarded or constant or is_held or isinstance(node, ast.FunctionDef | ast.ClassDef)
        kept = kept and not _is_guard(node)
        (definitions if kept else main).extend([*pending, node])
        made |= set() if kept else names_made(node)
        pending = []
    return definitions, main


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def _is_mark(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Constant(str(text))):
            return text.startswith(TODO)
    return False


def _is_constant(node: ast.expr) -> bool:
    return not any(isinstance(n, ast.Call | ast.Attribute | ast.Name) for n in ast.walk(node))


@cache
def _sources() -> dict[str, str]:
    texts = [Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
             for name in ("own_layers", "own_cells", "own_metrics", "own_optimizers",
                          "loading")]  # fmt: skip
    return {
        node.name: ast.get_source_segment(text, node) or ""
        for text in texts
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def _own_layers(text: str, loads: bool) -> list[str]:
    """The sources of the layers and functions that a draft uses, and that those need."""
    known, wanted = _sources(), names_read(text) | ({"from_jax"} if loads else set())
    wanted -= {n.name for n in ast.walk(ast.parse(text))
               if isinstance(n, ast.FunctionDef | ast.ClassDef)}  # fmt: skip
    while True:
        more = {n for name in wanted & known.keys() for n in names_read(known[name])} & known.keys()
        if more <= wanted:
            break
        wanted |= more
    return [source for name, source in known.items() if name in wanted]


def _stand_last(own: list[str], definitions: list[ast.stmt]) -> bool:
    """Whether layers can stand below the program: nothing in it needs them before it runs."""
    made = {n.name for text in own for n in ast.parse(text).body}  # type: ignore[attr-defined]
    early = list[ast.AST]()
    for node in definitions:
        match node:
            case ast.FunctionDef():
                early += [node.args, *node.decorator_list]
            case ast.ClassDef():
                body = [n for n in node.body if not isinstance(n, ast.FunctionDef)]
                early += [*node.bases, *node.decorator_list, *body]
                early += [n.args for n in node.body if isinstance(n, ast.FunctionDef)]
            case _:
                early.append(node)
    return not made & {n.id for part in early for n in ast.walk(part) if isinstance(n, ast.Name)}


def _pasted(text: str) -> dict[str, str]:
    names = {n.attr for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Attribute)
             and isinstance(n.value, ast.Name) and n.value.id == "paste"}  # fmt: skip
    return sources(sorted(names), "paste_torch")


def _shortened(text: str) -> str:
    """A source with the names that people import."""
    text = text.replace("torch.nn.functional.", "F.").replace("torch.nn.", "nn.")
    return text.replace("torch.utils._pytree.", "")


def _heading(recording: Recording, docstring: str | None) -> str:
    """The draft's docstring: what the program's says, and then what the draft is."""
    program = recording.program
    files = [program.main, *(program.files[name] for name in program.imported)]
    folder = Path(program.main.own.path).parent
    drafted = [Path(file.own.path) for file in files if file.is_drafted]
    others = [str(p.relative_to(folder) if p.is_relative_to(folder) else p) for p in drafted]
    of = ", ".join([short(program.main.own.path), *others])
    weights = (
        "Layers begin with PyTorch's own first weights where the program names none; `from_jax`\n"
        "gives them JAX's.\n"
    )
    said = f"{docstring}\n\n" if docstring else ""
    said = said.replace("\\", r"\\").replace('"""', r"\"\"\"")
    first = textwrap.fill(f"A draft of {of} in PyTorch, by jaxvstorch port.", 96)
    return (
        f'"""{said}{first}\n\n'
        "Each JAX call that the run made is here the map's PyTorch for it, except what is below\n"
        f"a {TODO.strip(': ')}.\n{weights if recording.modules else ''}"
        '"""\n'
    )


def _unparsed(nodes: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(nodes, [])))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())
