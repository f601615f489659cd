"""The tagger with one product for all gates, a step after the other in Python."""

import jax
import jax.numpy as jnp
from jax import Array


def cell(weight: Array, bias: Array, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """Take one step, by weights of the input above those of the state."""
    gates = jnp.concatenate([x, h], axis=-1) @ weight + bias
    size = h.shape[-1]
    i, f, o = jnp.split(jax.nn.sigmoid(gates[:, : 3 * size]), 3, axis=-1)
    c = f * c + i * jnp.tanh(gates[:, 3 * size :])
    return o * jnp.tanh(c), c


def run(weight: Array, bias: Array, words: list[Array]) -> list[Array]:
    """Return the state after each word."""
    h = c = jnp.zeros((len(words[0]), len(bias) // 4))
    states = []
    for x in words:
        h, c = cell(weight, bias, x, h, c)
        states.append(h)
    return states


def tagger(params: dict, tokens: Array) -> tuple[Array, Array]:
    """Return (batch, time, 7) and (batch, 5)."""
    words = [jnp.take(params["embedding"], word, axis=0) for word in tokens.T]
    there = run(*params["forward"], words)
    back = run(*params["backward"], words[::-1])[::-1]
    weight, bias = params["tags"]
    pairs = zip(there, back, strict=True)
    tags = jnp.stack([jnp.hstack(pair) @ weight + bias for pair in pairs], axis=1)
    weight, bias = params["dense"]
    summary = jnp.tanh(jnp.hstack([there[-1], back[0]]) @ weight + bias)
    weight, bias = params["intent"]
    return tags, summary @ weight + bias


def make(model):
    """Return the function and the PyTorch model's weights, the cell's gates behind the others."""
    arrays = {name: jnp.array(value.numpy()) for name, value in model.state_dict().items()}

    def direction(end: str) -> tuple[Array, Array]:
        weight = jnp.hstack([arrays["lstm.weight_ih" + end], arrays["lstm.weight_hh" + end]])
        bias = arrays["lstm.bias_ih" + end] + arrays["lstm.bias_hh" + end]
        order = jnp.array([0, 1, 3, 2])
        weight, bias = (a.reshape(4, -1, *a.shape[1:])[order] for a in (weight, bias))
        return weight.reshape(-1, weight.shape[-1]).T, bias.ravel()

    layers = ("tags", "dense", "intent")
    return tagger, {
        "embedding": arrays["embedding.weight"],
        "forward": direction("_l0"),
        "backward": direction("_l0_reverse"),
        **{name: (arrays[f"{name}.weight"].T, arrays[f"{name}.bias"]) for name in layers},
    }
