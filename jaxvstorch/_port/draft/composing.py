"""Puts a draft together: the program in JAX, the layers and functions it needs, and its weights."""

import ast
import builtins
import re
from collections.abc import Iterable
from pathlib import Path

from jaxvstorch._pairs.source import names_read
from jaxvstorch._port.draft.files import File, in_import_order
from jaxvstorch._port.draft.formatting import tidy
from jaxvstorch._port.draft.layers import own_sources
from jaxvstorch._port.draft.modules import RNGS, draws
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.rewriting import TODO
from jaxvstorch._port.map.pasting import imports_of, sources
from jaxvstorch._port.report_data import short

_LOADING = Path(__file__).with_name("loading.py")


def compose(recording: Recording, of: str = "") -> str:
    """The draft's source.

    Args:
        recording: of the program's run.
        of: what the draft is of, if not the program's files.
    """
    paths = dict.fromkeys(code.co_filename for code in recording.codes)
    if recording.file.is_file():
        paths.setdefault(str(recording.file))
    resolved = {str(Path(path).resolve()): path for path in reversed(paths)}
    files = in_import_order([File(recording, path) for path in resolved.values()])
    for file in files:
        file.rewrite()
    drafted = {name for file in files for name in file.wanted}
    for file in files:
        file.rename(drafted)
    _hand_rngs_on(files)
    for file in files:
        file.finish()
    late = [n for file in files for n in file.constant_nodes if _needs_helpers(n)]
    parts = list[str]()
    for file in files:
        parts.append(_unparsed([node for node in file.constant_nodes if node not in late]))
        parts += [_unparsed([node]) for node in file.nodes]
    main = [statement for file in files for statement in file.main]
    text = "\n\n\n".join(part for part in parts if part.strip())
    end = _unparsed(late) + "\n\n\n" if late else ""
    end += f'if __name__ == "__main__":\n{_indented(_unparsed(main))}' if main else ""
    return tidy(_assembled(recording, files, text, end, drafted, of))


def _needs_helpers(node: ast.stmt) -> bool:
    """Whether a constant needs functions that stand below the program's own."""
    text = ast.unparse(node)
    return "paste." in text or bool(own_sources(text))


def _assembled(
    recording: Recording, files: list[File], text: str, end: str, names: set[str], of: str
) -> str:
    loading = _loading() if recording.instances else ""
    if not re.search(r"\bBuffer\(", text):
        loading = loading.replace(" | Buffer", "").replace(", Buffer)", ")")
    own = own_sources(f"{text}\n{loading}\n{end}")
    first = own_sources("\n".join(_bases(text)))  # what the program's classes are derived from
    text = "\n\n\n".join([*first.values(), text])
    helpers = "\n\n\n".join(
        [*(part for name, part in own.items() if name not in first), *filter(None, [loading])]
    )
    pasted, (text, helpers, end) = _with_pasted((text, helpers, end), names)
    body = "\n\n\n".join(part for part in (text, *pasted.values(), helpers, end) if part.strip())
    read = names_read(body)
    imports = {line for file in files for line in file.imports(names, read)}
    of = of or ", ".join(short(file.path) for file in files) or "a program"
    head = "\n".join([_heading(of), *_imports(pasted, body, imports)])
    return f"{head}\n\n\n{body}"


def _bases(text: str) -> list[str]:
    """The names that the classes of a text are derived from."""
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return [ast.unparse(base) for node in classes for base in node.bases]


def _hand_rngs_on(files: list[File]) -> None:
    """Pass random numbers in the calls of functions that draw, and in those that call them."""
    drawing: set[str] = set()
    while True:
        new = {
            function.name
            for file in files
            for function in file.functions()
            if function.name != "main" and any(draws(function))
        } - drawing
        if not new:
            return
        drawing |= new
        for file in files:
            for node in (*file.nodes, *file.main):
                _PassRngs(new).visit(node)


class _PassRngs(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = isinstance(node.func, ast.Name) and node.func.id in self.names
        if called and all(word.arg != "rngs" for word in node.keywords):
            node.keywords.append(ast.keyword("rngs", ast.Name(RNGS, ast.Load())))
        return node


def _unparsed(nodes: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(nodes, [])))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.splitlines())


def _loading() -> str:
    """The source of ``from_torch`` and its table."""
    text = _LOADING.read_text(encoding="utf-8")
    return text[text.index("# PyTorch's name for") :].rstrip()


def _with_pasted(texts: tuple[str, ...], taken: set[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The sources of the map's functions that texts call, and the texts with their names."""
    called = sorted({name for text in texts for name in re.findall(r"\bpaste\.(\w+)", text)})
    pasted = sources(called)
    new = {name: f"{name}_" for name in pasted if name in taken or hasattr(builtins, name)}
    changed = tuple(
        re.sub(r"\bpaste\.(\w+)", lambda match: new.get(match[1], match[1]), text) for text in texts
    )
    used = {name: _Renamed(new).of(source) for name, source in pasted.items()}
    return used, changed


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


def _heading(of: str) -> str:
    return (
        f'"""A draft of {of} in JAX, by jaxvstorch port.\n\n'
        "Each PyTorch call that the run made is here the map's JAX for it, verified on the values\n"
        f'of the run, except what is below a {TODO.strip(": ")}.\n"""\n'
    )


_LIBRARIES = {
    "jax": "import jax", "jnp": "import jax.numpy as jnp", "lax": "from jax import lax",
    "math": "import math", "optax": "import optax", "nnx": "from flax import nnx",
    "partial": "from functools import partial", "einops": "import einops",
    "Array": "from jax import Array", "ocp": "import orbax.checkpoint as ocp",
    "Path": "from pathlib import Path",
}  # fmt: skip


def _imports(pasted: Iterable[str], text: str, program: set[str]) -> list[str]:
    """The import lines of a draft: of the standard library, of others, and of the program."""
    read = names_read(text)
    named = {line for name, line in _LIBRARIES.items() if name in read}
    lines = {*imports_of(pasted).splitlines(), *named, *program} - {""}
    return sorted(lines, key=lambda line: (" = None" in line, line.startswith("from"), line))
