"""Layers that are made of others: an MLP, and a cell over the steps of a sequence."""

from collections.abc import Mapping
from typing import Any

from jaxvstorch._port.from_jax.layers import is_default, row_of, state_of
from jaxvstorch._port.from_jax.names import layer_name, name_of
from jaxvstorch._port.from_jax.settings import settings_of

_ACTIVATIONS = {
    "jax.nn.relu": "torch.nn.ReLU()", "jnp.tanh": "torch.nn.Tanh()",
    "jax.nn.gelu": "torch.nn.GELU(approximate='tanh')", "jax.nn.silu": "torch.nn.SiLU()",
    "jax.nn.sigmoid": "torch.nn.Sigmoid()", "jax.nn.softplus": "torch.nn.Softplus()",
}  # fmt: skip
_KINDS = {"LSTMCell": "LSTM", "OptimizedLSTMCell": "LSTM", "GRUCell": "GRU", "SimpleCell": "RNN"}


def composed(
    layer: Any, weights: Mapping[str, Any], x: Any, options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Such a layer in PyTorch, called with ``_x``, and its weights.

    Args:
        layer: of flax or equinox.
        weights: its own, by their paths.
        x: its input; an initial carry is ``_carry``.
        options: further arguments of the call.

    Raises:
        ValueError: PyTorch's layer cannot do the same.
    """
    if type(layer).__name__ == "MLP":
        return _mlp(layer, weights)
    given = {name: value for name, value in options.items() if value is not None}
    if "seq_lengths" in given:
        raise ValueError("in PyTorch, `torch.nn.utils.rnn.pack_padded_sequence(x, lengths)`")
    is_both = type(layer).__name__ == "Bidirectional"
    names = ("time_major", "return_carry", "reverse", "keep_order")
    time_major, carries, turned, ordered = (given.get(n, getattr(layer, n, False)) for n in names)
    if is_both and not is_default(layer, "merge_fn"):
        raise ValueError("PyTorch puts the results of both directions beside each other")
    parts = [
        (f"{name}.", getattr(layer, name)) for name in ("forward_rnn", "backward_rnn") if is_both
    ]
    states = [
        _of_cell(rnn.cell, weights, f"{path}cell.", x) for path, rnn in parts or [("", layer)]
    ]
    kind, sizes, _ = states[0]
    if any(other[:2] != (kind, sizes) for other in states):
        raise ValueError("both directions have the same cell in PyTorch")
    state = {
        f"{name}_l0{suffix}": value
        for (*_, own), suffix in zip(states, ("", "_reverse"), strict=False)
        for name, value in own.items()
    }
    settings = "".join([", batch_first=True" * (not time_major), ", bidirectional=True" * is_both])
    axis = 0 if time_major else -2
    flip = f".flip({axis})" * bool(turned and not is_both)
    text = f"torch.nn.{kind}({sizes[0]}, {sizes[1]}{settings})(_x{flip}"
    if "initial_carry" in given:
        if is_both:
            raise ValueError("PyTorch's initial state is one array for both directions")
        first = "_carry[None]" if kind != "LSTM" else "tuple(part[None] for part in _carry[::-1])"
        text = f"{text}, {first}"
    back = flip * bool(ordered)
    if not carries:
        return f"{text})[0]{back}", state
    last = [f"(state[1][{i}], state[0][{i}])" if kind == "LSTM" else f"state[{i}]" for i in (0, 1)]
    carry = f"({', '.join(last)})" if is_both else last[0]
    return f"(lambda y, state: ({carry}, y{back}))(*{text}))", state


def _of_cell(
    cell: Any, weights: Mapping[str, Any], path: str, x: Any
) -> tuple[str, tuple[int, int], dict[str, Any]]:
    """PyTorch's kind of a cell, the sizes of its input and state, and its weights."""
    kind = _KINDS.get(type(cell).__name__)
    row = row_of(layer_name(type(cell)) or "")
    if kind is None or row is None:
        raise ValueError("PyTorch has no such cell over a sequence")
    own = {n.removeprefix(path): value for n, value in weights.items() if n.startswith(path)}
    settings_of(cell, row, own, x)
    state = state_of(row, own)
    _, size = state["weight_hh"].shape
    return kind, (state["weight_ih"].shape[1], size), state


def _identity(x: Any) -> Any:
    return x


def _mlp(layer: Any, weights: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Equinox's MLP as a ``torch.nn.Sequential``, and the weights of that.

    Raises:
        ValueError: an activation is no module of PyTorch.
    """

    def activation(function: Any) -> str | None:
        name = name_of(function) or ""
        code = getattr(function, "__code__", None)
        if code is not None and code.co_code == _identity.__code__.co_code:
            return None
        if name not in _ACTIVATIONS:
            raise ValueError("its activation is none of PyTorch's modules")
        return _ACTIVATIONS[name]

    parts: list[str] = []
    state: dict[str, Any] = {}
    for number, linear in enumerate(layer.layers):
        bias = "" if linear.use_bias else ", bias=False"
        state |= {
            f"{len(parts)}.{name}": weights[f"layers.{number}.{name}"]
            for name in ("weight", "bias")
            if f"layers.{number}.{name}" in weights
        }
        sizes = [1 if n == "scalar" else n for n in (linear.in_features, linear.out_features)]
        parts.append(f"torch.nn.Linear({sizes[0]}, {sizes[1]}{bias})")
        last = number + 1 == len(layer.layers)
        text = activation(layer.final_activation if last else layer.activation)
        parts += [] if text is None else [text]
    squeezed = ".squeeze(-1)" * (layer.out_size == "scalar")
    return f"torch.nn.Sequential({', '.join(parts)})(_x){squeezed}", state
