"""Finds names in the map, of either framework, as people write them."""

import difflib
import re
from functools import cache, partial

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import rows

_SHORT = {
    "nn.Module.": "Module.", "torch.nn.Module.": "Module.", "optim.Optimizer.": "Optimizer.",
    "torch.optim.Optimizer.": "Optimizer.",
    "F.": "torch.nn.functional.", "nn.": "torch.nn.", "optim.": "torch.optim.",
    "torch.Tensor.": "Tensor.", "jax.numpy.": "jnp.", "np.": "jnp.", "jax.lax.": "lax.",
    "flax.nnx.": "nnx.",
}  # fmt: skip


_ROOTS = frozenset({"Tensor", "flax", "jax", "jnp", "lax", "nnx", "optax", "paste", "torch"})


def find(name: str) -> list[Row]:
    """The rows that a name of PyTorch or JAX stands for, or a bare name such as ``gather``.

    A name of JAX that stands in no expression, such as ``jax.jit``, finds the names that are done
    otherwise by it.

    Args:
        name: with or without its module; ``F.``, ``nn.`` and ``jax.numpy.`` are known, and what
            stands before a method, as in ``optimizer.step``, does not matter.

    Raises:
        TypeError: ``name`` is not a string.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string such as 'torch.gather', not {name!r}")
    full = _full(name)
    if full in rows():
        return [rows()[full]]
    before, _, method = full.rpartition(".")
    if before.partition(".")[0] not in _ROOTS and method.isidentifier():  # as optimizer.step
        full = method
    bare = [row for row in rows().values() if row.name.rpartition(".")[2] == full]
    found = bare + [row for row in of_jax().get(full, []) if row not in bare]
    return found or _instead().get(full, [])


def _full(name: str) -> str:
    name = name.strip().removesuffix("()")
    for short, long in _SHORT.items():
        if name.startswith(short):
            return long + name.removeprefix(short)
    return name


@cache
def of_jax() -> dict[str, list[Row]]:
    """The rows that a name of JAX stands in, by its full and by its bare name."""
    found: dict[str, list[Row]] = {}
    for row in rows().values():
        names = {*row.jax_names, *row.first_names}
        for name in names | {name.rpartition(".")[2] for name in names}:
            found.setdefault(name, []).append(row)
    return {name: sorted(having, key=partial(_far, name)) for name, having in found.items()}


@cache
def _instead() -> dict[str, list[Row]]:
    """The rows without an expression whose text names a name of JAX, by it."""
    found: dict[str, list[Row]] = {}
    for row in rows().values():
        names = re.findall(r"\b(?:jax|jnp|lax|nnx|optax)(?:\.\w+)+", row.option("instead") or "")
        for name in dict.fromkeys(map(_full, names)):
            found.setdefault(name, []).append(row)
    for name, having in found.items():
        having.sort(key=partial(_far_instead, name))
    return found


def _far_instead(name: str, row: Row) -> tuple[bool, int]:
    """What sorts rows without an expression: first those whose text begins with the name."""
    text = row.option("instead") or ""
    return not text.startswith(f"`{name}"), len(text)


def _far(name: str, row: Row) -> tuple[bool, bool, int]:
    """What sorts rows: first the one of the same name, then those that are little else."""
    bare, text = name.rpartition(".")[2], row.expression or ""
    return row.name.rpartition(".")[2] != bare, not text.startswith(name), len(text)


def nearest(name: str) -> list[str]:
    """Names of the map that look like one that is not there."""
    full = _full(name)
    known = [*rows(), *of_jax()]
    cased = [one for one in known if one.lower() == full.lower()]
    near = cased[:3] or difflib.get_close_matches(full, known, n=3)
    if near:
        return near
    by_end = {known.rpartition(".")[2]: known for known in [*of_jax(), *reversed(rows())]}
    ends = difflib.get_close_matches(full.rpartition(".")[2], by_end, n=3)
    if not ends:  # a part of a name
        ends = [end for end in by_end if full.lower() in end.lower()][:3]
    return list(dict.fromkeys(by_end[end] for end in ends))
