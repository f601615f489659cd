"""The tagger as functions; each direction of the LSTM is a scan over the time."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax


def linear(p: dict, x: Array) -> Array:
    """Apply weights that are stored as (outputs, inputs)."""
    return x @ p["weight"].T + p["bias"]


def step(p: dict, state: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], Array]:
    """Take one step; PyTorch stacks the gates as input, forget, cell and output."""
    h, c = state
    gates = x @ p["weight_ih"].T + p["bias_ih"] + h @ p["weight_hh"].T + p["bias_hh"]
    i, f, g, o = jnp.split(gates, 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def lstm(p: dict, x: Array, reverse: bool = False) -> tuple[Array, Array]:
    """Return the state after each step (time, batch, hidden), and after the last that is taken."""
    zeros = jnp.zeros((x.shape[1], p["weight_hh"].shape[1]))
    (h, _), states = lax.scan(partial(step, p), (zeros, zeros), x, reverse=reverse)
    return states, h


def tagger(params: dict, tokens: Array) -> tuple[Array, Array]:
    """Return (batch, time, 7) and (batch, 5)."""
    x = params["embedding"]["weight"][tokens]
    x = x.swapaxes(0, 1)
    forward, last = lstm(params["forward"], x)
    backward, first = lstm(params["backward"], x, reverse=True)
    states = jnp.concatenate([forward, backward], axis=-1).swapaxes(0, 1)
    summary = jnp.concatenate([last, first], axis=-1)
    summary = jnp.tanh(linear(params["dense"], summary))
    return linear(params["tags"], states), linear(params["intent"], summary)


def make(model):
    """Return the function and the PyTorch model's weights."""
    params = {"forward": {}, "backward": {}}
    for name, value in model.state_dict().items():
        layer, kind = name.split(".")
        if layer == "lstm":
            layer = "backward" if kind.endswith("_reverse") else "forward"
            kind = kind.split("_l0")[0]
        params.setdefault(layer, {})[kind] = jnp.array(value.numpy())
    return tagger, params
