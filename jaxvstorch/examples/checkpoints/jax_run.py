"""A run that can stop after any step and resume as if it had not, in JAX.

Everything random follows from one key and the number of the step. These two are the random state:
the order of the data and the dropped inputs need no other.
"""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxvstorch.examples.checkpoints import jax as functions
from jaxvstorch.examples.checkpoints.files import latest_complete, require_whole, write_whole
from jaxvstorch.examples.checkpoints.names import require_fit

EXAMPLES, BATCH, FEATURES = 24, 8, 4

State = dict[str, Array]


def data() -> tuple[Array, Array]:
    """Inputs and targets, the same in every process."""
    x = np.random.default_rng(0).standard_normal((EXAMPLES, FEATURES)).astype(np.float32)
    return jnp.asarray(x), jnp.asarray(x.sum(axis=1))


def start(seed: int) -> State:
    """Make the state before the first step."""
    zeros = jnp.zeros(FEATURES)
    random = {"count": jnp.int32(0), "key": jax.random.key(seed)}
    return {"weights": zeros, "mean": zeros, "square": zeros, **random}


@jax.jit
def train_step(state: State) -> tuple[State, Array]:
    """Take one step; also return the loss before it."""
    count, weights = state["count"], state["weights"]
    order_key, mask_key = jax.random.split(state["key"])
    epoch, place = jnp.divmod(count, EXAMPLES // BATCH)
    order = jax.random.permutation(jax.random.fold_in(order_key, epoch), EXAMPLES)
    chosen = jax.lax.dynamic_slice(order, (place * BATCH,), (BATCH,))
    x, y = (array[chosen] for array in data())
    kept = jax.random.bernoulli(jax.random.fold_in(mask_key, count), 0.5, x.shape)
    gradient = functions.dropout_gradient(weights, x, y, kept)
    rate = functions.rate_at((count + 1).astype(jnp.float32))
    moments = state["mean"], state["square"]
    new = functions.adamw_step(weights, gradient, *moments, count, rate)
    loss = ((x @ weights - y) ** 2).mean()
    return state | dict(zip(("weights", "mean", "square", "count"), new, strict=True)), loss


def advance(state: State, steps: int) -> tuple[State, list[float]]:
    """Take steps; also return their losses."""
    losses = []
    for _ in range(steps):
        state, loss = train_step(state)
        losses.append(float(loss))
    return state, losses


def save(folder: Path, state: State) -> Path:
    """Write a checkpoint, under the number of its step."""
    plain = state | {"key": jax.random.key_data(state["key"])}  # NumPy has no keys
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in plain.items()}
    path = folder / f"step_{int(state['count']):06}.npz"
    return write_whole(path, lambda file: np.savez(file, **arrays))


def load(path: Path) -> State:
    """Read a checkpoint.

    Raises:
        IncompleteCheckpointError: it is not whole.
        MismatchError: names, shapes or dtypes are not those of this run.
    """
    require_whole(path)
    with np.load(path) as found:
        named = dict(found)
    like = start(0)
    require_fit(named, like | {"key": jax.random.key_data(like["key"])})
    state = {name: jnp.asarray(value) for name, value in named.items()}
    return state | {"key": jax.random.wrap_key_data(state["key"])}


def resume(folder: Path) -> State:
    """Read the newest complete checkpoint."""
    return load(latest_complete(folder, "step_*.npz"))
