"""An operation of a jaxpr that marks a call of the reader's: its arrays, and those it returns."""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

mark_p = Primitive("port_mark")
mark_p.multiple_results = True


def mark(call: Any, inputs: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """The results, which a jaxpr now reads from the mark of this call.

    Args:
        call: what an interpreter of the jaxpr gets together with the values.
        inputs: the arrays that the call read.
        results: the arrays that it returned.
    """
    return list(mark_p.bind(*inputs, *results, call=call, count=len(inputs), batched=()))


def elements(
    values: Sequence[Any], batched: Sequence[Sequence[Any]], limit: int
) -> list[list[Any]]:
    """The values of the first elements of the batches that a mark was in.

    Args:
        values: of the mark.
        batched: the axis of each value in each batch, the innermost batch first; None has none.
        limit: how many elements.
    """
    if not batched:
        return [list(values)]
    *inner, axes = batched
    sizes = {v.shape[axis] for v, axis in zip(values, axes, strict=True) if axis is not None}
    taken: list[list[Any]] = []
    for position in range(min(max(sizes, default=1), limit)):
        one = [
            value if axis is None else value[(slice(None),) * axis + (position,)]
            for value, axis in zip(values, axes, strict=True)
        ]
        taken += elements(one, inner, limit - len(taken))
    return taken[:limit]


def _outputs(*values: Any, call: Any, count: int, batched: Any) -> list[Any]:
    return list(values[count:])


def _judged(*values: Any, call: Any, count: int, batched: Any) -> list[Any]:
    if call.judge is not None:
        call.judge(call, values, batched)
    return list(values[count:])


def _jvp(primals: Any, tangents: Any, *, call: Any, count: int, batched: Any) -> tuple[Any, Any]:
    results = mark_p.bind(*primals, call=call, count=count, batched=batched)
    return results, list(tangents[count:])


def _batch(values: Any, axes: Any, *, call: Any, count: int, batched: Any) -> tuple[Any, Any]:
    axes = tuple(axis if isinstance(axis, int) else None for axis in axes)
    results = mark_p.bind(*values, call=call, count=count, batched=(*batched, axes))
    return results, list(axes[count:])


def _transpose(cotangents: Any, *values: Any, call: Any, count: int, batched: Any) -> list[Any]:
    return [None] * count + list(cotangents)


def _lower(context: Any, *values: Any, call: Any, count: int, batched: Any) -> list[Any]:
    return list(values[count:])


mark_p.def_impl(_judged)
mark_p.def_abstract_eval(_outputs)
ad.primitive_jvps[mark_p] = _jvp
ad.primitive_transposes[mark_p] = _transpose
batching.primitive_batchers[mark_p] = _batch
mlir.register_lowering(mark_p, _lower)
