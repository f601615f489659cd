"""Recurrent layers with PyTorch's weights; a draft gets the source of each."""

import math

import jax
import jax.numpy as jnp
from flax import nnx

from jaxvstorch._port.draft.own_layers import uniform
from jaxvstorch._port.map import paste


class Recurrent(nnx.Module):
    """The weights of a recurrent layer, under PyTorch's names."""

    def __init__(
        self, gates, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
        dropout=0.0, bidirectional=False, *, rngs,
    ):  # fmt: skip
        self.hidden_size, self.num_layers = hidden_size, num_layers
        self.batch_first, self.bidirectional = batch_first, bidirectional
        self.dropout = nnx.Dropout(dropout, rngs=rngs) if dropout else None
        bound, rows = 1 / math.sqrt(hidden_size), gates * hidden_size
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                width = hidden_size * (1 + bidirectional) if layer else input_size
                end = f"_l{layer}{suffix}"
                setattr(self, "weight_ih" + end, uniform(rngs, bound, rows, width))
                setattr(self, "weight_hh" + end, uniform(rngs, bound, rows, hidden_size))
                for name in ("bias_ih", "bias_hh"):
                    setattr(self, name + end, uniform(rngs, bound, rows) if bias else None)


class LSTM(Recurrent):
    def __init__(self, *args, rngs, **settings):
        super().__init__(4, *args, rngs=rngs, **settings)

    def __call__(self, x, hx=None):
        return paste.lstm(
            x, hx, self, self.num_layers, self.batch_first, self.bidirectional, self.hidden_size,
            self.dropout,
        )  # fmt: skip


class GRU(Recurrent):
    def __init__(self, *args, rngs, **settings):
        super().__init__(3, *args, rngs=rngs, **settings)

    def __call__(self, x, hx=None):
        return paste.gru(
            x, hx, self, self.num_layers, self.batch_first, self.bidirectional, self.hidden_size,
            self.dropout,
        )  # fmt: skip


class RNN(Recurrent):
    def __init__(
        self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *args, rngs, **settings
    ):
        super().__init__(1, input_size, hidden_size, num_layers, *args, rngs=rngs, **settings)
        self.nonlinearity = nonlinearity

    def __call__(self, x, hx=None):
        return paste.rnn(
            x, hx, self, self.num_layers, self.batch_first, self.bidirectional, self.hidden_size,
            self.nonlinearity, self.dropout,
        )  # fmt: skip


class RecurrentCell(nnx.Module):
    """The weights of a recurrent cell, under PyTorch's names."""

    def __init__(self, gates, input_size, hidden_size, bias=True, *, rngs):
        bound, rows = 1 / math.sqrt(hidden_size), gates * hidden_size
        self.weight_ih = uniform(rngs, bound, rows, input_size)
        self.weight_hh = uniform(rngs, bound, rows, hidden_size)
        self.bias_ih = uniform(rngs, bound, rows) if bias else None
        self.bias_hh = uniform(rngs, bound, rows) if bias else None


class LSTMCell(RecurrentCell):
    def __init__(self, *args, rngs, **settings):
        super().__init__(4, *args, rngs=rngs, **settings)

    def __call__(self, x, hx=None):
        return paste.lstm_cell(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class GRUCell(RecurrentCell):
    def __init__(self, *args, rngs, **settings):
        super().__init__(3, *args, rngs=rngs, **settings)

    def __call__(self, x, hx=None):
        return paste.gru_cell(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class RNNCell(RecurrentCell):
    def __init__(self, *args, nonlinearity="tanh", rngs, **settings):
        super().__init__(1, *args, rngs=rngs, **settings)
        self.nonlinearity = nonlinearity

    def __call__(self, x, hx=None):
        y = x @ self.weight_ih.T
        y = y if hx is None else y + hx @ self.weight_hh.T
        y = y if self.bias_ih is None else y + self.bias_ih + self.bias_hh
        return jnp.tanh(y) if self.nonlinearity == "tanh" else jax.nn.relu(y)
