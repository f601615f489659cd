"""Finds names in the map, of either framework, as people write them."""

import ast
import difflib
import re
from functools import cache, partial

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows

_SHORT = {
    "nn.Module.": "Module.", "torch.nn.Module.": "Module.", "optim.Optimizer.": "Optimizer.",
    "torch.optim.Optimizer.": "Optimizer.",
    "F.": "torch.nn.functional.", "nn.": "torch.nn.", "optim.": "torch.optim.",
    "torch.Tensor.": "Tensor.", "jax.numpy.": "jnp.", "np.": "jnp.", "jax.lax.": "lax.",
    "flax.nnx.": "nnx.",
}  # fmt: skip


_ROOTS = frozenset({"Tensor", "flax", "jax", "jnp", "lax", "nnx", "optax", "paste", "torch"})


def find(name: str) -> list[Row]:
    """The rows of a name of PyTorch or JAX, or of a bare name such as ``gather``.

    A name of JAX in no expression, such as ``jax.jit``, finds the names without counterpart whose
    text mentions it.

    Args:
        name: with or without its module; ``F.``, ``nn.`` and ``jax.numpy.`` are known, and the
            object before a method, as in ``optimizer.step``, does not matter.

    Raises:
        TypeError: ``name`` is not a string.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string such as 'torch.gather', not {name!r}")
    full = _full_name(name)
    if full in rows():
        return [rows()[full]]
    before, _, method = full.rpartition(".")
    if before.partition(".")[0] not in _ROOTS and method.isidentifier():  # as optimizer.step
        full = method
    bare = [row for row in rows().values() if row.name.rpartition(".")[2] == full]
    matches = bare + [row for row in of_jax().get(full, []) if row not in bare]
    return matches or _instead().get(full, []) or _operators(full)


def _operators(name: str) -> list[Row]:
    """The row of the same name whose expression is an operator, as ``jnp.matmul``'s is ``@``."""
    row = rows().get(f"torch.{name.removeprefix('jnp.')}")
    if row is None or not name.startswith("jnp."):
        return []
    expression = ast.parse(meaning(row).expression or "0", mode="eval").body
    if isinstance(expression, ast.IfExp):  # by a setting, such as alpha
        expression = expression.body
    return [row] if isinstance(expression, ast.BinOp | ast.Compare | ast.UnaryOp) else []


def _full_name(name: str) -> str:
    name = name.strip().removesuffix("()")
    for short, long in _SHORT.items():
        if name.startswith(short):
            return long + name.removeprefix(short)
    return name


@cache
def of_jax() -> dict[str, list[Row]]:
    """The rows whose expression has a name of JAX, by its full and by its bare name."""
    by_name: dict[str, list[Row]] = {}
    for row in rows().values():
        names = {*row.jax_names, *row.first_names}
        for name in names | {name.rpartition(".")[2] for name in names}:
            by_name.setdefault(name, []).append(row)
    for name, matches in by_name.items():
        matches.sort(key=partial(_distance, name))
    return by_name


@cache
def _instead() -> dict[str, list[Row]]:
    """The rows without an expression whose text mentions a name of JAX, by that name."""
    by_name: dict[str, list[Row]] = {}
    for row in rows().values():
        names = re.findall(r"\b(?:jax|jnp|lax|nnx|optax)(?:\.\w+)+", row.option("instead") or "")
        for name in dict.fromkeys(map(_full_name, names)):
            by_name.setdefault(name, []).append(row)
    for name, matches in by_name.items():
        matches.sort(key=partial(_distance_instead, name))
    return by_name


def _distance_instead(name: str, row: Row) -> tuple[bool, int]:
    """A key that sorts rows without an expression: first those whose text begins with the name."""
    text = row.option("instead") or ""
    return not text.startswith(f"`{name}"), len(text)


def _distance(name: str, row: Row) -> tuple[bool, bool, int]:
    """A key that sorts rows: first the one of the same name, then those that do little else."""
    bare, text = name.rpartition(".")[2], row.expression or ""
    return row.name.rpartition(".")[2] != bare, not text.startswith(name), len(text)


def nearest(name: str) -> list[str]:
    """Names of the map that look like one that is not there."""
    full = _full_name(name)
    known = [*rows(), *of_jax()]
    cased = [candidate for candidate in known if candidate.lower() == full.lower()]
    near = cased[:3] or difflib.get_close_matches(full, known, n=3)
    if near:
        return near
    by_end = {known.rpartition(".")[2]: known for known in [*of_jax(), *reversed(rows())]}
    ends = difflib.get_close_matches(full.rpartition(".")[2], by_end, n=3)
    if not ends:  # a part of a name
        ends = [end for end in by_end if full.lower() in end.lower()][:3]
    return list(dict.fromkeys(by_end[end] for end in ends))
