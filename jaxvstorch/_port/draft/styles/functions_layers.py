"""Layers as functions of dictionaries of arrays; a draft in functions gets the source of each."""

import math
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxvstorch._port.map import paste

STATE = ("running_mean", "running_var")  # a draft has its own names of such arrays


def init_linear(key, n_in, n_out, bias=True):
    """A linear layer's weights, drawn as PyTorch draws them."""
    bound = 1 / math.sqrt(n_in)
    w_key, b_key = jax.random.split(key)
    params = {"w": uniform(w_key, bound, n_in, n_out)}
    return params | {"b": uniform(b_key, bound, n_out)} if bias else params


def init_conv(key, n_in, n_out, kernel_size, groups=1, bias=True):
    """A convolution's weights, (out, in, ...), drawn as PyTorch draws them."""
    bound = 1 / math.sqrt(n_in // groups * math.prod(kernel_size))
    w_key, b_key = jax.random.split(key)
    params = {"w": uniform(w_key, bound, n_out, n_in // groups, *kernel_size)}
    return params | {"b": uniform(b_key, bound, n_out)} if bias else params


def init_norm(shape, scale=True, bias=True):
    """The weights of a normalization, which begin as ones and zeros."""
    params = {"scale": jnp.ones(shape)} if scale else {}
    return params | {"bias": jnp.zeros(shape)} if bias else params


def init_batch_norm(size, scale=True, bias=True):
    """Batch norm's weights and its running averages, which ``split_state`` takes out."""
    averages = {"running_mean": jnp.zeros(size), "running_var": jnp.ones(size)}
    return init_norm(size, scale, bias) | averages


def init_embedding(key, size, features, padding_idx=None):
    """The rows of an embedding; that of padding begins as zeros."""
    table = jax.random.normal(key, (size, features))
    return {"table": table if padding_idx is None else table.at[padding_idx].set(0)}


def init_recurrent(key, gates, n_in, hidden, num_layers=1, bias=True, bidirectional=False):
    """The weights of an LSTM (four gates) or a GRU (three), under PyTorch's names."""
    params, bound = {}, 1 / math.sqrt(hidden)
    for layer in range(num_layers):
        for suffix in ("", "_reverse")[: 1 + bidirectional]:
            width = hidden * (1 + bidirectional) if layer else n_in
            key, *keys = jax.random.split(key, 5)
            shapes = {"weight_ih": (width,), "weight_hh": (hidden,)}
            shapes |= {"bias_ih": (), "bias_hh": ()} if bias else {}
            for own, (name, shape) in zip(keys, shapes.items(), strict=False):
                params[f"{name}_l{layer}{suffix}"] = uniform(own, bound, gates * hidden, *shape)
    return params


def uniform(key, bound, *shape):
    return jax.random.uniform(key, shape, minval=-bound, maxval=bound)


def linear(params, x):
    return x @ params["w"] + params["b"]


def padded_embedding(params, x, padding_idx):
    """The rows for indices; that of padding gets no gradient."""
    y = params["table"][x]
    return jnp.where((x == padding_idx)[..., None], lax.stop_gradient(y), y)


def conv_(params, x, stride=1, padding=0, dilation=1, groups=1):
    """A convolution of (batch, channels, ...)."""
    n = x.ndim - 2

    def each(value):
        return (value,) * n if isinstance(value, int) else value

    pads = padding.upper() if isinstance(padding, str) else [(p, p) for p in each(padding)]
    y = lax.conv_general_dilated(
        x, params["w"], each(stride), pads, rhs_dilation=each(dilation), feature_group_count=groups
    )
    return y + params["b"].reshape(-1, *(1,) * n) if "b" in params else y


def layer_norm_(params, x, axes=1, eps=1e-5):
    """Layer norm of the last axes."""
    last = tuple(range(-axes, 0))
    mean, var = x.mean(last, keepdims=True), x.var(last, keepdims=True)
    return scaled(params, (x - mean) * lax.rsqrt(var + eps))


def rms_norm_(params, x, eps):
    return scaled(params, x * lax.rsqrt((x * x).mean(-1, keepdims=True) + eps))


def group_norm_(params, x, groups, eps=1e-5):
    """Group norm of (batch, channels, ...)."""
    y = x.reshape(x.shape[0], groups, -1)
    y = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + eps)
    return scaled(params, y.reshape(x.shape), x.ndim - 2)


def batch_norm_(params, state, x, training, momentum=0.9, eps=1e-5):
    """Batch norm over all axes but 1, and its running averages; the variance is that of n - 1."""
    mean, var = state["running_mean"], state["running_var"]
    if training:
        axes, n = (0, *range(2, x.ndim)), x.size // x.shape[1]
        before, mean, var = (mean, var), x.mean(axes), x.var(axes)
        new = lax.stop_gradient((mean, var * n / (n - 1)))
        kept = (momentum * a + (1 - momentum) * b for a, b in zip(before, new, strict=True))
        state = dict(zip(("running_mean", "running_var"), kept, strict=True))
    ones = (1,) * (x.ndim - 2)
    y = (x - mean.reshape(-1, *ones)) * lax.rsqrt(var.reshape(-1, *ones) + eps)
    return scaled(params, y, len(ones)), state


def scaled(params, y, axes=0):
    """A normalized array times the scale and plus the bias, whose axis comes before ``axes``."""
    if "scale" in params:
        y = y * params["scale"].reshape(*params["scale"].shape, *(1,) * axes)
    return (
        y + params["bias"].reshape(*params["bias"].shape, *(1,) * axes) if "bias" in params else y
    )


def dropout(x, rate, *, key=None, axes=None):
    """Zero numbers by chance, and scale the others up; without a key, change nothing.

    ``axes`` counts those that are dropped each on its own; all of them by default.
    """
    if key is None or rate == 0:
        return x
    shape = x.shape if axes is None else (*x.shape[:axes], *(1,) * (x.ndim - axes))
    return jnp.where(jax.random.bernoulli(key, 1 - rate, shape), x / (1 - rate), 0)


def run_lstm(params, x, hx=None, num_layers=1, batch_first=False, bidirectional=False):
    w = recurrent_weights(params)
    hidden = params["weight_hh_l0"].shape[1]
    return paste.lstm(x, hx, w, num_layers, batch_first, bidirectional, hidden)


def run_gru(params, x, hx=None, num_layers=1, batch_first=False, bidirectional=False):
    w = recurrent_weights(params)
    hidden = params["weight_hh_l0"].shape[1]
    return paste.gru(x, hx, w, num_layers, batch_first, bidirectional, hidden)


def recurrent_weights(params):
    """The weights as attributes; a bias that is not there is None."""
    without = {name.replace("weight", "bias"): None for name in params}
    return SimpleNamespace(**without | params)


class Scheduler:
    """Sets an optimizer's learning rate by a schedule, one count at each step."""

    def __init__(self, schedule):
        self.schedule, self.count = schedule, 0

    def step(self, opt_state):
        """The optimizer's state with the next rate."""
        self.count += 1
        rate = jnp.asarray(self.schedule(self.count), float)
        return opt_state._replace(hyperparams=opt_state.hyperparams | {"learning_rate": rate})

    def get_last_lr(self):
        return [float(self.schedule(self.count))]


def save_arrays(tree, path):
    """Write the arrays of a tree into a file of NumPy, each under its place in the tree."""
    with open(path, "wb") as file:
        leaves = jax.tree_util.tree_leaves_with_path(tree)
        np.savez(file, **{jax.tree_util.keystr(where): x for where, x in leaves})


def split_state(tree):
    """Two trees: the weights, and what no optimizer changes, such as running averages."""
    if isinstance(tree, list):
        pairs = [split_state(part) for part in tree]
        return [params for params, _ in pairs], [state for _, state in pairs]
    params, state = {}, {}
    for name, part in tree.items():
        if isinstance(part, dict | list):
            params[name], own = split_state(part)
            state |= {name: own} if jax.tree.leaves(own) else {}
        else:
            (state if name in STATE else params)[name] = part
    return params, state


def from_torch(tree, state_dict):
    """Parameters, or a state, with the values in the ``state_dict`` of the PyTorch module."""

    def loaded(path, old):
        *inside, name = (str(getattr(k, "key", getattr(k, "idx", None))) for k in path)
        names = {"w": "weight", "b": "bias", "table": "weight", "scale": "weight"}
        whole = ".".join([*inside, name])
        own = whole in state_dict
        value = state_dict.get(whole if own else ".".join([*inside, names.get(name, name)]), old)
        value = value.cpu().numpy() if hasattr(value, "cpu") else value
        turned = name == "w" and value.ndim == 2 and not own and value is not old
        return jnp.array(value.T if turned else value, old.dtype)  # a copy: PyTorch's can change

    return jax.tree_util.tree_map_with_path(loaded, tree)
