"""Cells of recurrent networks, loops over sequences and trees, as a draft makes them."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map


class LSTMCell(nn.Module):
    """A step of an LSTM: takes and returns a carry (c, h)."""

    def __init__(self, in_features, hidden_features):
        super().__init__()
        self.hidden_features = hidden_features
        for gate in ("i", "f", "g", "o"):
            name = f"i{gate}" if gate != "f" else "if_"
            self.add_module(name, nn.Linear(in_features, hidden_features, bias=False))
            self.add_module(f"h{gate}", nn.Linear(hidden_features, hidden_features))

    def initialize_carry(self, shape):
        zeros = torch.zeros(*shape[:-1], self.hidden_features)
        return zeros, zeros

    def forward(self, carry, x: Tensor):
        c, h = carry
        i = torch.sigmoid(self.ii(x) + self.hi(h))
        f = torch.sigmoid(self.if_(x) + self.hf(h))
        g = torch.tanh(self.ig(x) + self.hg(h))
        o = torch.sigmoid(self.io(x) + self.ho(h))
        c = f * c + i * g
        h = o * torch.tanh(c)
        return (c, h), h


class OptimizedLSTMCell(nn.Module):
    """A step of an LSTM with one matrix for its gates: takes and returns a carry (c, h)."""

    def __init__(self, in_features, hidden_features):
        super().__init__()
        self.hidden_features = hidden_features
        self.dense_i = nn.Linear(in_features, 4 * hidden_features, bias=False)
        self.dense_h = nn.Linear(hidden_features, 4 * hidden_features)

    def initialize_carry(self, shape):
        zeros = torch.zeros(*shape[:-1], self.hidden_features)
        return zeros, zeros

    def forward(self, carry, x: Tensor):
        c, h = carry
        i, f, g, o = (self.dense_i(x) + self.dense_h(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return (c, h), h


class GateGRUCell(nn.Module):
    """A step of a GRU with a matrix for each gate, as linen has it."""

    def __init__(self, in_features, hidden_features):
        super().__init__()
        self.hidden_features = hidden_features
        for gate in ("r", "z", "n"):
            self.add_module(f"i{gate}", nn.Linear(in_features, hidden_features))
            self.add_module(f"h{gate}", nn.Linear(hidden_features, hidden_features, gate == "n"))

    def initialize_carry(self, shape):
        return torch.zeros(*shape[:-1], self.hidden_features)

    def forward(self, carry, x: Tensor):
        r = torch.sigmoid(self.ir(x) + self.hr(carry))
        z = torch.sigmoid(self.iz(x) + self.hz(carry))
        n = torch.tanh(self.get_submodule("in")(x) + r * self.hn(carry))
        h = (1 - z) * n + z * carry
        return h, h


class GRUCell(nn.Module):
    """A step of a GRU, as flax has it."""

    def __init__(self, in_features, hidden_features):
        super().__init__()
        self.hidden_features = hidden_features
        self.dense_i = nn.Linear(in_features, 3 * hidden_features)
        self.dense_h = nn.Linear(hidden_features, 3 * hidden_features, bias=False)

    def initialize_carry(self, shape):
        return torch.zeros(*shape[:-1], self.hidden_features)

    def forward(self, carry, x: Tensor):
        xr, xz, xn = self.dense_i(x).chunk(3, dim=-1)
        hr, hz, hn = self.dense_h(carry).chunk(3, dim=-1)
        r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
        h = (1 - z) * torch.tanh(xn + r * hn) + z * carry
        return h, h


class SimpleCell(nn.Module):
    """A step of a recurrent layer: tanh of two linear ones."""

    def __init__(self, in_features, hidden_features):
        super().__init__()
        self.hidden_features = hidden_features
        self.dense_i = nn.Linear(in_features, hidden_features)
        self.dense_h = nn.Linear(hidden_features, hidden_features, bias=False)

    def initialize_carry(self, shape):
        return torch.zeros(*shape[:-1], self.hidden_features)

    def forward(self, carry, x: Tensor):
        h = torch.tanh(self.dense_i(x) + self.dense_h(carry))
        return h, h


class RNN(nn.Module):
    """A cell over the steps of a sequence, whose axis is the second last."""

    def __init__(self, cell, return_carry=False):
        super().__init__()
        self.cell, self.return_carry = cell, return_carry

    def forward(self, x: Tensor):
        carry, outputs = self.cell.initialize_carry(x[..., 0, :].shape), []
        for step in x.unbind(-2):
            carry, y = self.cell(carry, step)
            outputs.append(y)
        y = torch.stack(outputs, -2)
        return (carry, y) if self.return_carry else y


class EquinoxLSTMCell(nn.Module):
    """A step of an LSTM: takes a state (h, c) and returns the next."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size).uniform_(-0.1, 0.1))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(4 * hidden_size))

    def forward(self, x: Tensor, state):
        h, c = state
        gates = x @ self.weight_ih.T + h @ self.weight_hh.T + self.bias
        i, f, g, o = gates.chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class EquinoxGRUCell(nn.Module):
    """A step of a GRU: takes a state and returns the next."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.weight_ih = nn.Parameter(torch.empty(3 * hidden_size, input_size).uniform_(-0.1, 0.1))
        self.weight_hh = nn.Parameter(torch.empty(3 * hidden_size, hidden_size).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(3 * hidden_size))
        self.bias_n = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: Tensor, state: Tensor) -> Tensor:
        xr, xz, xn = (x @ self.weight_ih.T + self.bias).chunk(3, dim=-1)
        hr, hz, hn = (state @ self.weight_hh.T).chunk(3, dim=-1)
        reset, update = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
        new = torch.tanh(xn + reset * (hn + self.bias_n))
        return new + update * (state - new)


class MLP(nn.Module):
    """Linear layers with an activation between them."""

    def __init__(
        self,
        in_size,
        out_size,
        width_size,
        depth,
        activation: Callable = torch.relu,
        final_activation: Callable | None = None,
    ):
        super().__init__()
        sizes = [in_size, *[width_size] * depth, out_size]
        sizes = [1 if size == "scalar" else size for size in sizes]
        self.scalar_out = out_size == "scalar"
        self.layers = nn.ModuleList(map(nn.Linear, sizes[:-1], sizes[1:]))
        self.activation, self.final_activation = activation, final_activation

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        x = self.layers[-1](x)
        x = x if self.final_activation is None else self.final_activation(x)
        return x.squeeze(-1) if self.scalar_out else x


def scan(function, carry, xs=None, length=None, reverse=False):
    """A loop over the first axis; the results of its steps are stacked."""
    leaves = [leaf for leaf in tree_leaves(xs) if leaf is not None]
    steps = range(leaves[0].shape[0] if leaves else length)
    results = []
    for i in reversed(steps) if reverse else steps:
        carry, y = function(carry, tree_map(lambda x, i=i: None if x is None else x[i], xs))
        results.append(y)
    if reverse:
        results.reverse()
    return carry, tree_map(lambda *ys: None if ys[0] is None else torch.stack(ys), *results)


def as_tensors(tree):
    """The arrays of a tree as tensors, those of 64 bits with 32."""
    arrays = tree_map(torch.as_tensor, tree)
    return tree_map(lambda x: x.float() if x.dtype == torch.float64 else x, arrays)
