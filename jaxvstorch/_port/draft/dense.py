"""Sparse arrays, which a draft makes dense: those of ``jax.experimental.sparse`` are experimental.

The replay does their calls with dense arrays too.
"""

from jaxvstorch._port.draft.commenting import UNVERIFIED
from jaxvstorch._port.map.row import Row, parse

_LINES = (
    "Tensor.to_sparse(self) => self",
    "Tensor.to_dense(self) => self",
    "Tensor.coalesce(self) => self",
    "torch.sparse_coo_tensor(indices, values, size, *, dtype=None, check_invariants=None, "
    "is_coalesced=None) => "
    "jnp.zeros(size, dtype or values.dtype).at[tuple(indices)].add(jnp.asarray(values, dtype))"
    " ; needless: check_invariants, is_coalesced",
)
_ROWS = {row.name: row for row in map(parse, _LINES)}


def dense_row(name: str) -> Row | None:
    """The line for a call with dense arrays, where it makes a sparse array or takes one."""
    return _ROWS.get(name)


def dense_marks(name: str) -> list[str]:
    """What is to be said of a call that makes a sparse array."""
    made = name in ("Tensor.to_sparse", "torch.sparse_coo_tensor")
    why = "JAX's sparse arrays are experimental"
    return [f"{name} gives a dense array here: {why}{UNVERIFIED}"] * made
