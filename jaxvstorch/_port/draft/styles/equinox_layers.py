"""Equinox's layers over whole batches, and what it lacks; a draft gets the source of each."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from jaxvstorch._port.map import paste


def over_batch(layer, x, axes):
    """A layer of one example, whose axes are the last of ``x``, over all axes before."""
    lead = x.shape[: x.ndim - axes]
    y = jax.vmap(layer)(x.reshape(-1, *x.shape[x.ndim - axes :]))
    return y.reshape(*lead, *y.shape[1:])


class Linear(eqx.nn.Linear):
    """A linear layer of the last axis."""

    def __call__(self, x, *, key=None):
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


class Conv(eqx.nn.Conv):
    """A convolution of batches."""

    def __init__(self, in_channels, out_channels, kernel_size, *args, key, **options):
        super().__init__(
            len(kernel_size), in_channels, out_channels, kernel_size, *args, key=key, **options
        )

    def __call__(self, x, *, key=None):
        return over_batch(super().__call__, x, 1 + self.num_spatial_dims)


class ConvTranspose2d(eqx.Module):
    """A transposed convolution; its kernel is (in, out, ...), as in PyTorch."""

    weight: Array
    bias: Array | None
    settings: tuple[Any, ...]

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
        groups=1, bias=True, dilation=1, *, key,
    ):  # fmt: skip
        size = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
        bound = 1 / math.sqrt(out_channels // groups * math.prod(size))
        keys = jax.random.split(key)
        self.weight = uniform(keys[0], bound, in_channels, out_channels // groups, *size)
        self.bias = uniform(keys[1], bound, out_channels) if bias else None
        self.settings = stride, padding, output_padding, groups, dilation, 2

    def __call__(self, x, *, key=None):
        return paste.conv_transpose(x, self.weight, self.bias, *self.settings)


class LayerNorm(eqx.nn.LayerNorm):
    """Layer norm of the last axes."""

    def __call__(self, x, *, key=None):
        return over_batch(super().__call__, x, len(self.shape))


class RMSNorm(eqx.nn.RMSNorm):
    """RMS norm of the last axes."""

    def __call__(self, x, *, key=None):
        return over_batch(super().__call__, x, len(self.shape))


class GroupNorm(eqx.nn.GroupNorm):
    """Group norm of batches."""

    def __call__(self, x, *, key=None):
        return jax.vmap(super().__call__)(x)


class Embedding(eqx.nn.Embedding):
    """An embedding of whole arrays of indices."""

    def __call__(self, x, *, key=None):
        return self.weight[x]


class PaddedEmbedding(Embedding):
    """An embedding whose row ``padding_idx`` begins as zeros and gets no gradient."""

    padding_idx: int

    def __init__(self, num_embeddings, embedding_size, *, padding_idx, key):
        super().__init__(num_embeddings, embedding_size, key=key)
        self.padding_idx = padding_idx % num_embeddings
        self.weight = self.weight.at[padding_idx].set(0)

    def __call__(self, x, *, key=None):
        y, padded = super().__call__(x), x == self.padding_idx
        return jnp.where(padded[..., None], jax.lax.stop_gradient(y), y)


class PReLU(eqx.Module):
    weight: Array

    def __init__(self, num_parameters=1, init=0.25):
        self.weight = jnp.full(num_parameters, init)

    def __call__(self, x, *, key=None):
        return paste.prelu(x, self.weight)


class BatchNorm(eqx.nn.StatefulLayer):
    """Batch norm over all axes but 1, as PyTorch's: its running variance is that of n - 1."""

    weight: Array | None
    bias: Array | None
    averages: eqx.nn.StateIndex
    eps: float
    momentum: float
    inference: bool

    def __init__(self, size, momentum=0.9, eps=1e-5, use_scale=True, use_bias=True):
        self.weight = jnp.ones(size) if use_scale else None
        self.bias = jnp.zeros(size) if use_bias else None
        self.averages = eqx.nn.StateIndex((jnp.zeros(size), jnp.ones(size)))
        self.eps, self.momentum, self.inference = eps, momentum, False

    def __call__(self, x, state, *, key=None):
        mean, var = before = state.get(self.averages)
        if not self.inference:
            axes, n = (0, *range(2, x.ndim)), x.size // x.shape[1]
            mean, var = x.mean(axes), x.var(axes)
            new = jax.lax.stop_gradient((mean, var * n / (n - 1)))
            kept = [
                self.momentum * a + (1 - self.momentum) * b
                for a, b in zip(before, new, strict=True)
            ]
            state = state.set(self.averages, tuple(kept))

        def wide(a):
            return a.reshape(1, -1, *(1,) * (x.ndim - 2))

        y = (x - wide(mean)) * jax.lax.rsqrt(wide(var) + self.eps)
        y = y if self.weight is None else y * wide(self.weight)
        return y if self.bias is None else y + wide(self.bias), state


class Buffer(eqx.Module):
    """An array of a module that no optimizer changes."""

    array: Array
    unnamed = "array"  # in PyTorch


def uniform(key, bound, *shape):
    """A weight drawn as PyTorch draws most: evenly between -bound and bound."""
    return jax.random.uniform(key, shape, minval=-bound, maxval=bound)


class Recurrent(eqx.Module):
    """The weights of a recurrent layer, under PyTorch's names."""

    weights: dict[str, Array]
    hidden_size: int
    num_layers: int
    batch_first: bool
    bidirectional: bool
    unnamed = "weights"  # in PyTorch

    def __init__(
        self, gates, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
        bidirectional=False, *, key,
    ):  # fmt: skip
        self.hidden_size, self.num_layers = hidden_size, num_layers
        self.batch_first, self.bidirectional = batch_first, bidirectional
        bound, rows = 1 / math.sqrt(hidden_size), gates * hidden_size
        self.weights = {}
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                width = hidden_size * (1 + bidirectional) if layer else input_size
                key, *keys = jax.random.split(key, 5)
                end = f"_l{layer}{suffix}"
                self.weights["weight_ih" + end] = uniform(keys[0], bound, rows, width)
                self.weights["weight_hh" + end] = uniform(keys[1], bound, rows, hidden_size)
                for name, own in zip(("bias_ih", "bias_hh"), keys[2:], strict=True):
                    self.weights[name + end] = uniform(own, bound, rows) if bias else None

    def __getattr__(self, name):
        if name.startswith(("weight_", "bias_")):
            return self.weights[name]
        raise AttributeError(name)


class LSTM(Recurrent):
    def __init__(self, *args, key, **settings):
        super().__init__(4, *args, key=key, **settings)

    def __call__(self, x, hx=None, *, key=None):
        return paste.lstm(
            x, hx, self, self.num_layers, self.batch_first, self.bidirectional, self.hidden_size
        )


class GRU(Recurrent):
    def __init__(self, *args, key, **settings):
        super().__init__(3, *args, key=key, **settings)

    def __call__(self, x, hx=None, *, key=None):
        return paste.gru(
            x, hx, self, self.num_layers, self.batch_first, self.bidirectional, self.hidden_size
        )


@eqx.filter_jit
def jitted_call(model, *inputs, **options):
    """The outputs of a module, compiled."""
    return model(*inputs, **options)


def weights(tree):
    """The weights in a module, or in a tree like it; None in place of all else."""

    def is_buffer(part):
        return isinstance(part, Buffer)

    return eqx.filter(tree, eqx.is_inexact_array, is_leaf=is_buffer)


def from_torch(module, state_dict, prefix=""):
    """A module of this file with the weights of the PyTorch module of the same name.

    Args:
        module: of this file.
        state_dict: of the PyTorch module.
        prefix: of the names in it.
    """
    if isinstance(module, eqx.nn.Sequential):  # its layers can have names in PyTorch
        inside = [key.removeprefix(prefix) for key in state_dict if key.startswith(prefix)]
        names = iter(dict.fromkeys(key.partition(".")[0] for key in inside))
        layers = [
            from_torch(layer, state_dict, f"{prefix}{next(names)}.")
            if _has_weights(layer)
            else layer
            for layer in module.layers
        ]
        return eqx.tree_at(lambda m: m.layers, module, tuple(layers))
    if isinstance(module, list | tuple):
        parts = enumerate(module)
        return type(module)(from_torch(part, state_dict, f"{prefix}{i}.") for i, part in parts)
    if isinstance(module, dict):
        return {n: from_torch(part, state_dict, f"{prefix}{n}.") for n, part in module.items()}
    if eqx.is_array(module):
        weight = state_dict.get(prefix.removesuffix("."), module)
        weight = weight.cpu().numpy() if hasattr(weight, "cpu") else weight
        # Equinox's bias of a convolution has the axes of an image too; a copy, as PyTorch's
        # own can change.
        return jnp.array(weight, module.dtype).reshape(module.shape)
    if not isinstance(module, eqx.Module):
        return module
    for name, value in list(vars(module).items()):
        inner = prefix if name == getattr(module, "unnamed", None) else f"{prefix}{name}."
        if jax.tree.leaves(eqx.filter(value, eqx.is_array)):
            new = from_torch(value, state_dict, inner)
            module = eqx.tree_at(lambda m, name=name: getattr(m, name), module, new)
    return module


def _has_weights(layer):
    return bool(jax.tree.leaves(eqx.filter(layer, eqx.is_array)))


def state_from_torch(module, state, state_dict, prefix=""):
    """The running averages of a PyTorch module, for the same module of this file."""
    if isinstance(module, BatchNorm):
        values = [state_dict[f"{prefix}running_{name}"] for name in ("mean", "var")]
        values = [x.cpu().numpy() if hasattr(x, "cpu") else x for x in values]
        old = state.get(module.averages)
        new = tuple(jnp.array(x, o.dtype) for x, o in zip(values, old, strict=True))
        return state.set(module.averages, new)
    if isinstance(module, eqx.nn.Sequential):
        inside = [key.removeprefix(prefix) for key in state_dict if key.startswith(prefix)]
        names = dict.fromkeys(key.partition(".")[0] for key in inside)
        parts = zip(names, filter(_has_weights, module.layers), strict=True)
    elif isinstance(module, list | tuple):
        parts = enumerate(module)
    else:
        parts = (module if isinstance(module, dict) else getattr(module, "__dict__", {})).items()
    for name, part in list(parts):
        if isinstance(part, eqx.Module | list | tuple | dict):
            state = state_from_torch(part, state, state_dict, f"{prefix}{name}.")
    return state
