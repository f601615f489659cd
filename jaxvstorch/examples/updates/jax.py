"""Updates in JAX: each returns a new array."""

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int


def set_rows(
    x: Float[Array, "n columns"], index: Int[Array, " k"], rows: Float[Array, "k columns"]
) -> Float[Array, "n columns"]:
    """Replace some rows."""
    return x.at[index].set(rows)


def add_at(
    x: Float[Array, " n"], index: Int[Array, " k"], updates: Float[Array, " k"]
) -> Float[Array, " n"]:
    """Add each update at its index; an index that occurs twice gets both."""
    return x.at[index].add(updates)


def count_once(counts: Float[Array, " n"], index: Int[Array, " k"]) -> Float[Array, " n"]:
    """Read, add and write back: an index that occurs twice is counted once."""
    return counts.at[index].set(counts[index] + 1)


def max_at(
    best: Float[Array, " n"], index: Int[Array, " k"], values: Float[Array, " k"]
) -> Float[Array, " n"]:
    """Keep at each index the largest value written to it."""
    return best.at[index].max(values)


def cumulative_histogram(
    totals: Float[Array, " bins"], bins: Int[Array, " n"], weights: Float[Array, " n"]
) -> Float[Array, " bins"]:
    """Add the weights of samples to their bins, then sum up to each bin."""
    return totals.at[bins].add(weights).cumsum()


def clip_where(x: Float[Array, " n"], limit: Float[Array, ""]) -> Float[Array, " n"]:
    """Write the limit wherever it is exceeded."""
    return jnp.where(x > limit, limit, x)


def take_or_zero(x: Float[Array, " n"], index: Int[Array, " k"]) -> Float[Array, " k"]:
    """Read; an index out of bounds reads as zero."""
    return x.at[index].get(mode="fill", fill_value=0)


def put_or_drop(
    x: Float[Array, " n"], index: Int[Array, " k"], values: Float[Array, " k"]
) -> Float[Array, " n"]:
    """Write; drop what goes to an index out of bounds."""
    return x.at[index].set(values, mode="drop")


def swap_rows(x: Float[Array, "n columns"], pair: Int[Array, "2"]) -> Float[Array, "n columns"]:
    """Exchange two rows."""
    return x.at[pair].set(x[pair[::-1]])


def ring_write(
    buffer: Float[Array, "n columns"], written: Int[Array, ""], row: Float[Array, " columns"]
) -> Float[Array, "n columns"]:
    """Overwrite the oldest row of a buffer that has been written ``written`` times."""
    oldest = written % len(buffer)
    return lax.dynamic_update_index_in_dim(buffer, row, oldest, axis=0)


def fill_rows(x: Float[Array, "steps n"]) -> Float[Array, "steps n"]:
    """Add to each row half of the one before it, in a loop that updates one array."""

    def step(i: Int[Array, ""], y: Float[Array, "steps n"]) -> Float[Array, "steps n"]:
        return y.at[i].add(0.5 * y[i - 1])

    return lax.fori_loop(1, len(x), step, x)


def drain(
    slots: Float[Array, " n"], order: Int[Array, " k"]
) -> tuple[Float[Array, " k"], Float[Array, " n"]]:
    """Visit slots in order, empty each, and return what was in it, and all slots afterwards."""

    def visit(
        slots: Float[Array, " n"], position: Int[Array, ""]
    ) -> tuple[Float[Array, " n"], Float[Array, ""]]:
        return slots.at[position].set(0), slots[position]

    slots, found = lax.scan(visit, slots, order)
    return found, slots
