"""Conditionals in JAX."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Bool, Float, Int

_ACTIVATIONS = (jnp.tanh, jax.nn.sigmoid, jax.nn.silu)


def select_if(predicate: Bool[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Choose with Python's if: it needs the value, so JAX cannot trace it."""
    if predicate:
        return jnp.sin(x)
    return x * x


# Branches stand outside: without ``jit``, JAX compiles a ``lambda`` anew on each call.
def _square(x: Float[Array, " n"]) -> Float[Array, " n"]:
    return x * x


def select_cond(predicate: Bool[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Choose while the program runs; only the branch taken is computed."""
    return lax.cond(predicate, jnp.sin, _square, x)


def select_where(predicate: Bool[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Compute both branches, then choose element by element."""
    return jnp.where(predicate, jnp.sin(x), x * x)


def select_elements(mask: Bool[Array, " n"], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Choose each element by its own predicate; ``lax.select`` needs equal shapes and dtypes."""
    return lax.select(mask, jnp.sin(x), x * x)


def activate_list(kind: Int[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Take a function from a Python tuple: it needs the number, so JAX cannot trace it."""
    return _ACTIVATIONS[kind](x)


def activate_switch(kind: Int[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Compute one of several branches; a number out of range selects the nearest."""
    return lax.switch(kind, _ACTIVATIONS, x)


def activate_select(kind: Int[Array, ""], x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Compute every branch, then choose; a number out of range selects the nearest."""
    results = [activation(x) for activation in _ACTIVATIONS]
    return lax.select_n(jnp.clip(kind, 0, len(results) - 1), *results)


def _matmuls(x: Float[Array, "n n"]) -> Float[Array, "n n"]:
    y = x
    for _ in range(8):
        y = jnp.tanh(y @ x)
    return y


def _double(x: Float[Array, "n n"]) -> Float[Array, "n n"]:
    return 2 * x


def expensive_cond(predicate: Bool[Array, ""], x: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """Compute a chain of matrix products only if the predicate holds."""
    return lax.cond(predicate, _matmuls, _double, x)


def expensive_where(predicate: Bool[Array, ""], x: Float[Array, "n n"]) -> Float[Array, "n n"]:
    """Compute a chain of matrix products, then keep it if the predicate holds."""
    return jnp.where(predicate, _matmuls(x), 2 * x)


def expensive_cond_batch(
    predicate: Bool[Array, " batch"], x: Float[Array, "batch n n"]
) -> Float[Array, "batch n n"]:
    """``expensive_cond`` for a batch: both branches are computed for every matrix."""
    return jax.vmap(expensive_cond)(predicate, x)


def expensive_where_batch(
    predicate: Bool[Array, " batch"], x: Float[Array, "batch n n"]
) -> Float[Array, "batch n n"]:
    """``expensive_where`` for a batch."""
    return jax.vmap(expensive_where)(predicate, x)


def sqrt_unsafe(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Square root, zero where ``x`` is not positive: right, but its gradient there is NaN."""
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)


def sqrt_safe(x: Float[Array, " n"]) -> Float[Array, " n"]:
    """Square root, zero where ``x`` is not positive; its gradient there is zero."""
    positive = jnp.where(x > 0, x, 1.0)  # the root never gets a number where it has no slope
    return jnp.where(x > 0, jnp.sqrt(positive), 0.0)


def next_token(
    logits: Float[Array, "batch vocabulary"], finished: Bool[Array, " batch"], end_token: int
) -> tuple[Int[Array, " batch"], Bool[Array, " batch"]]:
    """Take each sequence's likeliest token, or the end token again if it has finished."""
    token = jnp.where(finished, end_token, logits.argmax(axis=-1))
    return token, finished | (token == end_token)


def mask_after_end(
    tokens: Int[Array, "batch length"], end_token: int
) -> Bool[Array, "batch length"]:
    """Keep each sequence up to and including its first end token."""
    positions = jnp.arange(tokens.shape[-1])
    # On a CPU, XLA's cumsum of the end tokens takes several times as long as looking for the first.
    first = jnp.where(tokens == end_token, positions, positions.size).min(axis=-1)
    return positions <= first[:, None]


def attention_mask(
    tokens: Int[Array, "batch length"], end_token: int
) -> Bool[Array, "batch length length"]:
    """Let each position look at itself and at earlier ones, never past the end token."""
    length = tokens.shape[-1]
    causal = jnp.tril(jnp.ones((length, length), dtype=bool))
    return causal & mask_after_end(tokens, end_token)[:, None, :]
