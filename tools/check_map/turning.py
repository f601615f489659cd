"""Turns PyTorch's lines around, where both directions are one fact, into ``rows/jax/turned.txt``.

A line is turned where its expression is one call of a JAX function with the row's own parameters,
or a constant. What PyTorch does not take of JAX's parameters is refused. Other names of the same
object in JAX become forms.
"""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import FOLDER, TURNED, Rows, rows
from jaxvstorch._port.map.running.of_jax import of_jax, parameters, signature

FILE = FOLDER / "jax" / TURNED
FIRST = (
    "# Names of JAX whose line is one of PyTorch's, turned around\n"
    "# Written by `python -m tools.check_map`; do not edit.\n"
)
_ROOTS = frozenset({"jax", "jnp", "lax", "optax"})
# Modules in which an object may have a second name.
_MODULES = (
    "jnp", "jnp.linalg", "jnp.fft", "lax", "lax.linalg", "jax.nn", "jax.random", "jax.tree",
    "jax.tree_util", "jax", "jax.core", "jax.dtypes", "jax.sharding", "jax.scipy.special",
    "jax.scipy.linalg", "jax.nn.initializers", "optax", "nnx",
)  # fmt: skip


def write() -> None:
    """Write the file anew."""
    FILE.write_text(text(), encoding="utf-8")


def text() -> str:
    """What the file should hold."""
    by_hand = Rows(file for file in FILE.parent.glob("*.txt") if file.name != TURNED)
    lines = {name: turn.line for name, turn in turns().items() if name not in by_hand}
    known = [*(n for n, row in by_hand.items() if not row.form_of), *lines]
    forms = {new: f"{new} = {old}" for new, old in _aliases(known) if new not in {*by_hand, *lines}}
    return FIRST + "".join(f"{line}\n" for line in sorted([*lines.values(), *forms.values()]))


@dataclass(frozen=True)
class Turn:
    """A line of PyTorch's, turned around.

    Attributes:
        row: PyTorch's.
        name: JAX's.
        names: PyTorch's name of each parameter of JAX's that the line uses.
        line: JAX's.
    """

    row: Row
    name: str
    names: dict[str, str]
    line: str


@cache
def turns() -> dict[str, Turn]:
    """Each JAX name that a line of PyTorch's gives, with the nearest such line."""
    by_name: dict[str, Turn] = {}
    for row in sorted(rows().values(), key=_commonness):
        turn = _turned(row)
        if turn is not None:
            bare = turn.name.rpartition(".")[2]
            kept = by_name.setdefault(turn.name, turn)
            if row.name.rpartition(".")[2] == bare != kept.row.name.rpartition(".")[2]:
                by_name[turn.name] = turn
    return by_name


def _commonness(row: Row) -> tuple[bool, int]:
    return row.name.startswith("Tensor."), row.name.count(".")


def _turned(row: Row) -> Turn | None:
    if row.expression is None or row.called is not None or not row.name.startswith("torch."):
        return None
    node = ast.parse(row.expression, mode="eval").body
    if row.made is None:
        name = ast.unparse(node)
        constant = isinstance(node, ast.Attribute) and name.partition(".")[0] in _ROOTS
        return Turn(row, name, {}, f"{name} => {row.name}") if constant else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    name = ast.unparse(node.func)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    taken = [_parameter(argument) for argument in given]
    if name.partition(".")[0] not in _ROOTS or not all(part in row.parameters for part in taken):
        return None
    try:
        own = parameters(name)
    except ValueError:
        return None
    positional = [p.name for p in own if p.kind is not p.KEYWORD_ONLY]
    names = dict(zip(positional, taken[: len(node.args)], strict=False))
    names |= {k.arg: _parameter(k.value) for k in node.keywords if k.arg}
    whole = len(names) == len(given) and {p.name for p in own} >= names.keys()
    starred = [_parameter(node) for node in node.args if isinstance(node, ast.Starred)]
    whole &= starred == [p.name for p in _taken(row) if p.kind is p.VAR_POSITIONAL]
    return Turn(row, name, names, _line(row, name, names, own)) if whole else None


def _parameter(node: ast.expr) -> str:
    return ast.unparse(node).removeprefix("*")


def _line(row: Row, name: str, names: dict[str, str], own: list[inspect.Parameter]) -> str:
    theirs = {taken: jax_name for jax_name, taken in names.items()}
    kinds = {p.name: p for p in _taken(row)}
    arguments = []
    for parameter, default in row.parameters.items():
        if parameter not in theirs:
            continue
        kind = kinds[parameter]
        if kind.kind is kind.VAR_POSITIONAL:
            arguments.append(f"*{theirs[parameter]}")
        elif default is None and kind.kind is not kind.KEYWORD_ONLY:
            arguments.append(theirs[parameter])
        else:
            arguments.append(f"{parameter}={theirs[parameter]}")
    left = ", ".join(p.name for p in own if p.name not in names)
    refused = f" ; refused: {left}" if left else ""
    return f"{name}({signature(own)}) => {row.name}({', '.join(arguments)}){refused}"


def _taken(row: Row) -> list[inspect.Parameter]:
    return [*inspect.signature(eval(f"lambda {row.made}: 0")).parameters.values()]


def _aliases(known: list[str]) -> Iterator[tuple[str, str]]:
    """Names of the objects that the map has under another name."""
    by_object: dict[int, str] = {}
    for name in reversed(known):  # of two names that are known, the first
        if name.partition(".")[0] in _ROOTS | {"nnx"}:
            by_object[id(of_jax(name))] = name
    for module in _MODULES:
        for bare, value in sorted(vars(of_jax(module)).items()):
            plain = value is None or isinstance(value, bool | int | float | str)
            if not (bare.startswith("_") or inspect.ismodule(value) or plain):
                old = by_object.get(id(value))
                if old is not None and old != f"{module}.{bare}":
                    yield f"{module}.{bare}", old
