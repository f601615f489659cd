"""Short programs of both frameworks for names of the map that no expression translates.

One module each: its docstring's first line is the title, ``PAGE`` the topic page that says more,
``NAMES`` the names that it answers; ``with_torch`` and ``with_jax`` return what is compared. Their
bodies are read from the files, so that neither framework is imported.
"""

import ast
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class NameRecipe:
    """One task in both frameworks.

    Attributes:
        module: the name that a row gives after ``recipe:``, such as ``freezing``.
        title: what people type, such as ``Freeze some weights``.
        text: what differs, in a sentence or two.
        page: the topic page of the book that says more, such as ``training-loop``.
        names: the names that it answers, of either framework, as the map spells them.
        torch: the code in PyTorch; its last line is the expression that was compared.
        jax: the code in JAX.
    """

    module: str
    title: str
    text: str
    page: str
    names: tuple[str, ...]
    torch: str
    jax: str

    def calls(self, framework: str, *names: str) -> bool:
        """Whether a framework's half has one of some names of the map."""
        full, attributes = _names(self.torch if framework == "torch" else self.jax)
        return any(
            name in full or (_is_of_class(name) and name.rpartition(".")[2] in attributes)
            for name in names
        )


@cache
def recipes() -> dict[str, NameRecipe]:
    """All recipes, by module, in the order of their names."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return {file.stem: _read(file) for file in files if file.stem != "__init__"}


def recipe(module: str) -> NameRecipe:
    """One recipe, by the name that a row gives after ``recipe:``."""
    return _read(Path(__file__).with_name(f"{module}.py"))


def _read(file: Path) -> NameRecipe:
    text = file.read_text(encoding="utf-8")
    module = ast.parse(text)
    title, _, rest = (ast.get_docstring(module) or "").partition("\n")
    constants = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign)
    }
    bodies = {
        node.name: _body(node, text.splitlines())
        for node in module.body
        if isinstance(node, ast.FunctionDef)
    }
    return NameRecipe(
        file.stem,
        title.removesuffix("."),
        " ".join(rest.split()),
        constants["PAGE"],
        tuple(constants["NAMES"]),
        bodies["with_torch"],
        bodies["with_jax"],
    )


def _body(function: ast.FunctionDef, lines: list[str]) -> str:
    """The body without its indentation; in place of ``return``, the expression that it returns."""
    body = textwrap.dedent("\n".join(lines[function.lineno : function.end_lineno]))
    before, _, returned = body.rpartition("\nreturn ")
    return f"{before.strip()}\n{returned}"


# Modules by the names that the map has for them, and what only an object has.
_SHORT = {"jax.numpy": "jnp", "jax.lax": "lax", "flax.nnx": "nnx"}
_CLASSES = frozenset({"Array", "Module", "Optimizer", "Tensor"})


def _is_of_class(name: str) -> bool:
    owner = name.rpartition(".")[0]
    return owner in _CLASSES or owner.rpartition(".")[2][:1].isupper()


@cache
def _names(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """The full names in code, as the map spells them, and the attributes of what is no module."""
    modules: dict[str, str] = {}
    full: set[str] = set()
    attributes: set[str] = set()
    for node in ast.walk(ast.parse(code)):  # what is imported comes before what is inside of it
        if isinstance(node, ast.Import):
            for part in node.names:
                root = part.name.partition(".")[0]
                modules[part.asname or root] = part.name if part.asname else root
        elif isinstance(node, ast.ImportFrom):
            modules |= {
                each.asname or each.name: f"{node.module}.{each.name}" for each in node.names
            }
        elif isinstance(node, ast.Subscript):
            attributes.add("__setitem__" if isinstance(node.ctx, ast.Store) else "__getitem__")
        elif isinstance(node, ast.Attribute | ast.Name):
            first: ast.expr = node
            while isinstance(first, ast.Attribute):
                first = first.value
            if isinstance(first, ast.Name) and first.id in modules:
                full.add(_spelled(modules[first.id] + ast.unparse(node).removeprefix(first.id)))
            elif isinstance(node, ast.Attribute):
                attributes.add(node.attr)
    return frozenset(full), frozenset(attributes)


def _spelled(name: str) -> str:
    module = next((module for module in _SHORT if name.startswith(f"{module}.")), None)
    return _SHORT[module] + name.removeprefix(module) if module else name
