"""The large arrays that a program holds as constants, and what the function read them from."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jaxvstorch._explain.jax import traces
from jaxvstorch._explain.jax.arguments import is_array
from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import harmless
from jaxvstorch._explain.python.accesses import Access, AccessKind
from jaxvstorch._explain.shorthand import byte_count, describe

LARGE = 1_000_000  # bytes
_MOST_INSIDE = 1000
_MOST_COMPARED = 1000  # numbers of two arrays


def large(program: Any) -> list[tuple[Any, Any]]:
    """The large constants of a program, each with the first equation that takes it."""
    found: dict[int, tuple[Any, Any]] = {}
    for value, eqn in _constants(program, set()):
        if getattr(value, "nbytes", 0) >= LARGE:
            found.setdefault(id(value), (value, eqn))
    return list(found.values())


def _constants(program: Any, seen: set[int]) -> Iterator[tuple[Any, Any]]:
    """The constants of a program and of those inside it, with the equations that take them."""
    jaxpr = getattr(program, "jaxpr", program)
    if id(jaxpr) in seen:
        return
    seen.add(id(jaxpr))
    values = dict(zip(jaxpr.constvars, getattr(program, "consts", ()), strict=False))
    for eqn in jaxpr.eqns:
        for variable in eqn.invars:
            if hasattr(variable, "val"):  # a literal
                yield variable.val, eqn
            elif variable in values:
                yield values[variable], eqn
        for _, inner in traces.inner_programs(eqn):
            yield from _constants(inner, seen)


def sized(
    accesses: Sequence[Access], constants: Sequence[tuple[Any, Location | None]]
) -> list[Access]:
    """The accesses with the sizes of what they read, and one for each constant that none read.

    Args:
        accesses: of the function.
        constants: large ones of its program, each with a line that takes it.
    """
    sizes: dict[int, int] = {}
    others = []
    for value, location in constants:
        reads = [i for i, access in enumerate(accesses) if _is_from(access, value)]
        if reads:  # an attribute is read after the object that holds it
            sizes[reads[-1]] = sizes.get(reads[-1], 0) + value.nbytes
        else:
            size = byte_count(value.nbytes)
            kind = AccessKind.CONSTANT
            others.append(Access(kind, describe(value), location or ("", 0), size=size))
    named = [
        replace(access, kind=AccessKind.LARGE, size=byte_count(sizes[i])) if i in sizes else access
        for i, access in enumerate(accesses)
    ]
    return [*named, *others]


def _is_from(access: Access, constant: Any) -> bool:
    """Whether what was read is a constant, or holds it."""
    return access.kind is AccessKind.READ and any(
        part is constant or _is_made_of(part, constant)
        for part in harmless.everything_in(access.value, _MOST_INSIDE)
    )


def _is_made_of(array: Any, constant: Any) -> bool:
    """Whether JAX made a constant of an array of NumPy, whose dtype it may have changed."""
    if not (harmless.is_a(array, np.ndarray) and isinstance(constant, np.ndarray)):
        return False
    if not is_array(array) or array.shape != constant.shape:
        return False
    first = array.flat[:_MOST_COMPARED].astype(constant.dtype)
    return bool(first.tobytes() == constant.flat[:_MOST_COMPARED].tobytes())
