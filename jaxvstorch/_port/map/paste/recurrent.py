"""Recurrent cells and layers; weights are (gates, features), as PyTorch keeps them."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax


def _gates(x: Array, weight: Array, bias: Array | None) -> Array:
    y = x @ weight.T
    return y if bias is None else y + bias


def lstm_cell(
    input: Array,
    hx: tuple[Array, Array] | None,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
) -> tuple[Array, Array]:
    """One step of an LSTM: the new output and the new cell."""
    start = jnp.zeros((*input.shape[:-1], weight_hh.shape[1]), input.dtype)
    h, c = (start, start) if hx is None else hx
    both = _gates(input, weight_ih, bias_ih) + _gates(h, weight_hh, bias_hh)
    i, f, g, o = jnp.split(both, 4, axis=-1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def gru_cell(
    input: Array,
    hx: Array | None,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
) -> Array:
    """One step of a GRU: the new output."""
    if hx is None:
        hx = jnp.zeros((*input.shape[:-1], weight_hh.shape[1]), input.dtype)
    r, z, n = jnp.split(_gates(input, weight_ih, bias_ih), 3, axis=-1)
    hr, hz, hn = jnp.split(_gates(hx, weight_hh, bias_hh), 3, axis=-1)
    z = jax.nn.sigmoid(z + hz)
    return (1 - z) * jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn) + z * hx


def _scanned(
    cell: Any,
    input: Array,
    starts: Any,
    w: Any,
    num_layers: int,
    batch_first: bool,
    both: bool,
    between: Any,
) -> tuple[Array, list[Any]]:
    """The outputs of the last layer over a sequence, and where each layer and direction ends."""
    turned = batch_first and input.ndim == 3
    x = jnp.swapaxes(input, 0, 1) if turned else input
    ends: list[Any] = []
    for layer in range(num_layers):
        x = between(x) if layer and between is not None else x
        outputs = []
        for suffix in ("", "_reverse")[: 1 + both]:
            names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            weights = [getattr(w, f"{name}_l{layer}{suffix}") for name in names]

            def step(carry: Any, x: Array, weights: Any = weights) -> Any:
                carry = cell(x, carry, *weights)
                return carry, carry[0] if isinstance(carry, tuple) else carry

            end, y = lax.scan(step, starts[len(ends)], x, reverse=bool(suffix))
            ends.append(end)
            outputs.append(y)
        x = jnp.concatenate(outputs, axis=-1)
    return jnp.swapaxes(x, 0, 1) if turned else x, ends


def _zeros(input: Array, count: int, batch_first: bool, hidden_size: int) -> Array:
    batch = input.shape[1 - batch_first : 2 - batch_first] if input.ndim == 3 else ()
    return jnp.zeros((count, *batch, hidden_size), input.dtype)


def lstm(
    input: Array,
    hx: Any,
    w: Any,
    num_layers: int,
    batch_first: bool,
    bidirectional: bool,
    hidden_size: int,
    between: Any = None,
) -> tuple[Array, tuple[Array, Array]]:
    """An LSTM over a sequence: all outputs, and the last output and cell of each layer.

    ``between`` changes what a layer hands to the next, as dropout does.
    """
    zeros = _zeros(input, num_layers * (1 + bidirectional), batch_first, hidden_size)
    starts = list(zip(*((zeros, zeros) if hx is None else hx), strict=True))
    y, ends = _scanned(lstm_cell, input, starts, w, num_layers, batch_first, bidirectional, between)
    h, c = zip(*ends, strict=True)
    return y, (jnp.stack(h), jnp.stack(c))


def gru(
    input: Array,
    hx: Any,
    w: Any,
    num_layers: int,
    batch_first: bool,
    bidirectional: bool,
    hidden_size: int,
    between: Any = None,
) -> tuple[Array, Array]:
    """A GRU over a sequence: all outputs, and the last one of each layer.

    ``between`` changes what a layer hands to the next, as dropout does.
    """
    zeros = _zeros(input, num_layers * (1 + bidirectional), batch_first, hidden_size)
    starts = list(zeros if hx is None else hx)
    y, ends = _scanned(gru_cell, input, starts, w, num_layers, batch_first, bidirectional, between)
    return y, jnp.stack(ends)


def rnn(
    input: Array,
    hx: Any,
    w: Any,
    num_layers: int,
    batch_first: bool,
    bidirectional: bool,
    hidden_size: int,
    nonlinearity: str,
    between: Any = None,
) -> tuple[Array, Array]:
    """A plain recurrent net over a sequence: all outputs, and the last one of each layer.

    ``between`` changes what a layer hands to the next, as dropout does.
    """
    zeros = _zeros(input, num_layers * (1 + bidirectional), batch_first, hidden_size)
    activation = jnp.tanh if nonlinearity == "tanh" else jax.nn.relu

    def cell(x: Array, h: Array, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any) -> Array:
        return activation(_gates(x, w_ih, b_ih) + _gates(h, w_hh, b_hh))

    starts = list(zeros if hx is None else hx)
    y, ends = _scanned(cell, input, starts, w, num_layers, batch_first, bidirectional, between)
    return y, jnp.stack(ends)
