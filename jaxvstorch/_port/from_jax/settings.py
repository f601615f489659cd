"""What a layer of flax or equinox was made with, in the words of PyTorch's layer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import torch

from jaxvstorch._port.from_jax.names import name_of
from jaxvstorch._port.map.row import Row

_MODES = {"CIRCULAR": "circular", "REFLECT": "reflect", "REPLICATE": "replicate"}


def settings_of(layer: Any, row: Row, weights: Mapping[str, Any], x: Any) -> dict[str, Any]:
    """What a layer was made with, by the row's parameters.

    Args:
        layer: of flax or equinox.
        row: its line.
        weights: the layer's, by their paths.
        x: its input.

    Raises:
        ValueError: PyTorch's layer cannot do the same.
    """
    settings = {name: getattr(layer, name) for name in row.taken() if hasattr(layer, name)}
    if hasattr(layer, "features"):  # linen's
        size = layer.features
        settings |= dict.fromkeys(("out_features", "features", "hidden_features"), size)
    for name in ("in_features", "num_features"):
        if name in row.taken() and name not in settings:
            settings[name] = x.shape[-1]
    change = _CHANGES.get(row.name.replace("flax.linen", "nnx"))
    if change is not None:
        settings |= change(layer, settings, weights, x)
    settings = {n: v for n, v in settings.items() if n in row.taken() and n != "rngs"}
    if (dtype := settings.get("param_dtype")) is not None:
        settings["param_dtype"] = getattr(torch, jnp.dtype(dtype).name)
    return settings


def _of_convolution(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    """Flax's padding in PyTorch's words."""
    kernel = _tuple(settings["kernel_size"])
    strides = _each(settings.get("strides"), len(kernel))
    dilation = _each(settings.get("kernel_dilation"), len(kernel))
    sizes = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    padding = settings["padding"]
    name = padding.upper() if isinstance(padding, str) else ""
    if _each(getattr(layer, "input_dilation", 1), len(kernel)) != (1,) * len(kernel):
        raise ValueError("PyTorch's convolution has no input_dilation")
    if name == "SAME" and max(strides) == 1:
        words: dict[str, Any] = {"padding": "same", "padded": None}
    elif name in ("SAME", "VALID"):
        words = _padding(
            jax.lax.padtype_to_pads(x.shape[-1 - len(kernel) : -1], sizes, strides, name)
        )
    elif name in ("CIRCULAR", "REFLECT"):
        words = _padding([((k - 1) // 2, k // 2) for k in sizes], name)
    elif name == "CAUSAL":
        words = _padding([(sizes[0] - 1, 0)])
    elif name:
        raise ValueError(f"PyTorch has no padding={padding!r}")
    else:
        words = _padding(_pairs(padding, len(kernel)))
    groups = settings.get("feature_group_count", 1)
    return words | {
        "kernel_size": kernel, "strides": _one(strides), "kernel_dilation": _one(dilation),
        "in_features": weights["kernel"].shape[-2] * groups,
    }  # fmt: skip


def _of_equinox(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    """Equinox's padding in PyTorch's words."""
    sizes = [(k - 1) * d + 1 for k, d in zip(layer.kernel_size, layer.dilation, strict=True)]
    pairs, mode = layer.padding, layer.padding_mode
    if isinstance(pairs, str):
        low = pairs == "SAME_LOWER"
        pairs = jax.lax.padtype_to_pads(x.shape[1:], sizes, layer.stride, pairs)
        if mode != "ZEROS" and low:
            raise ValueError("PyTorch pads the end first")
    words = _padding(pairs, mode)
    return words | {name: _one(getattr(layer, name)) for name in ("stride", "dilation")}


def _padding(pairs: Any, mode: str = "ZEROS") -> dict[str, Any]:
    """Padding as an argument of PyTorch's layer, or as one of ``torch.nn.functional.pad``."""
    pairs = [(int(first), int(last)) for first, last in pairs]
    padding, padded = _one(tuple(first for first, _ in pairs)), None
    if mode != "ZEROS" or any(first != last for first, last in pairs):
        padding, padded = 0, _last_first(pairs)
    return {"padding": padding, "padded": padded, "pad_mode": _MODES.get(mode, "constant")}


def _of_transposed(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    """A transposed convolution: what of the whole result each side lacks."""
    flax = hasattr(layer, "strides")
    kernel = _tuple(layer.kernel_size)
    strides = _each(layer.strides if flax else layer.stride, len(kernel))
    dilation = _each(layer.kernel_dilation if flax else layer.dilation, len(kernel))
    sizes = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    padding = layer.padding
    mode = getattr(layer, "padding_mode", "ZEROS")
    if "CIRCULAR" in (padding, mode) or getattr(layer, "mask", None) is not None:
        raise ValueError("PyTorch's transposed convolution pads with zeros alone, and has no mask")
    if not flax and isinstance(padding, str) and padding != "VALID":
        raise ValueError(f"PyTorch's transposed convolution has no padding={padding!r}")
    if not flax:
        sides = _pairs(0 if isinstance(padding, str) else padding, len(kernel))
        more = layer.output_padding
        pairs = [
            (size - 1 - first, size - 1 - last + m)
            for size, (first, last), m in zip(sizes, sides, more, strict=True)
        ]
    elif isinstance(padding, str):
        pairs = [
            _transposed_pair(*one, padding.upper()) for one in zip(sizes, strides, strict=True)
        ]
    else:
        pairs = _pairs(padding, len(kernel))
    cut = [(size - 1 - a, size - 1 - b) for size, (a, b) in zip(sizes, pairs, strict=True)]
    whole = [  # output_padding is more on the last side
        (first, first - last)
        if last < first < last + max(s, d) and first >= 0
        else (max(0, min(first, last)), 0)
        for (first, last), s, d in zip(cut, strides, dilation, strict=True)
    ]
    begin, more = zip(*whole, strict=True)
    rest = [(b - first, b - m - last) for b, m, (first, last) in zip(begin, more, cut, strict=True)]
    if any(p > 0 for pair in rest for p in pair):
        raise ValueError("PyTorch's transposed convolution cannot be padded so far")
    return _padding(rest) | {
        "padding": _one(begin), "output_padding": _one(more), "kernel_size": kernel,
        "padded": _last_first(rest) if any(map(any, rest)) else None,
        "strides": _one(strides), "kernel_dilation": _one(dilation),
        "in_features": getattr(layer, "in_channels", x.shape[-1]),
        "out_features": getattr(layer, "out_channels", settings.get("out_features")),
    }  # fmt: skip


def _transposed_pair(k: int, s: int, padding: str) -> tuple[int, int]:
    """How ``jax.lax.conv_transpose`` pads one axis."""
    if padding == "SAME":
        total = k + s - 2
        first = k - 1 if s > k - 1 else -(-total // 2)
    else:
        total, first = k + s - 2 + max(k - s, 0), k - 1
    return first, total - first


def _of_linear(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    """A linear layer over several axes."""
    outs = _tuple(getattr(layer, "features", None) or layer.out_features)
    axes = sorted(axis % x.ndim for axis in _tuple(layer.axis))
    batch = layer.batch_axis if hasattr(layer, "batch_axis") else layer.batch_dims
    if batch or axes != [*range(x.ndim - len(axes), x.ndim)]:
        raise ValueError("PyTorch's Linear takes the last axes")
    kernel = weights["kernel"]
    return {
        "ins": len(axes), "outs": outs, "out_size": math.prod(outs),
        "in_size": math.prod(kernel.shape[: len(axes)]),
    }  # fmt: skip


def _of_cell(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    """A recurrent cell, whose functions PyTorch's has too."""
    gates = name_of(getattr(layer, "gate_fn", jax.nn.sigmoid)), name_of(layer.activation_fn)
    if gates != ("jax.nn.sigmoid", "jnp.tanh") or getattr(layer, "residual", False):
        raise ValueError("the functions of PyTorch's cells are sigmoid and tanh")
    return {}


def _of_attention(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    sizes = weights["query.kernel"].shape[0], weights["out.kernel"].shape[-1]
    heads = weights["query.kernel"].shape[1:]
    if len({*sizes, heads[0] * heads[1]}) > 1:
        raise ValueError("PyTorch's attention has one size for all its projections")
    return {}


def _of_groups(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    size = getattr(layer, "group_size", None)
    return {"num_groups": x.shape[-1] // size} if size else {}


def _of_einsum(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    text = layer.einsum_str.replace(" ", "")
    operands, _, result = text.partition("->")
    kernel = operands.partition(",")[2]
    last = "".join(letter for letter in result if letter in kernel)
    if "bias" in weights and not result.endswith(last):
        raise ValueError("the axes of its bias are not the last ones")
    return {"equation": text, "use_bias": "bias" in weights}


def _of_lora(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    if getattr(layer, "base_module", None) is not None:
        raise ValueError("it adds to another module")
    return {}


def _of_pool(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    pairs = [tuple(pair) for pair in layer.padding]
    if any(first != last for first, last in pairs):
        raise ValueError("PyTorch pads both sides alike")
    if layer.use_ceil and "Avg" in type(layer).__name__:
        raise ValueError("PyTorch's mean at the end is of fewer numbers")
    return _padding(pairs) | {
        "dims": len(pairs), "kernel_size": _one(layer.kernel_size), "stride": _one(layer.stride),
    }  # fmt: skip


def _of_adaptive(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    target = tuple(layer.target_shape)
    if any(size % wanted for size, wanted in zip(x.shape[1:], target, strict=True)):
        raise ValueError("where a size is no multiple of the target, PyTorch's windows overlap")
    return {"dims": len(target), "target_shape": _one(target)}


def _of_shape(layer: Any, settings: Any, weights: Mapping[str, Any], x: Any) -> Any:
    return {"shape": _one(tuple(layer.shape)) if len(layer.shape) == 1 else tuple(layer.shape)}


_CHANGES: dict[str, Any] = {
    "nnx.Conv": _of_convolution, "nnx.ConvTranspose": _of_transposed, "nnx.Einsum": _of_einsum,
    "nnx.GroupNorm": _of_groups, "nnx.LinearGeneral": _of_linear, "nnx.LoRA": _of_lora,
    "nnx.LoRALinear": _of_lora, "nnx.MultiHeadAttention": _of_attention,
    "equinox.nn.AdaptiveAvgPool": _of_adaptive, "equinox.nn.AdaptiveMaxPool": _of_adaptive,
    "equinox.nn.AvgPool": _of_pool, "equinox.nn.Conv": _of_equinox,
    "equinox.nn.ConvTranspose": _of_transposed, "equinox.nn.LayerNorm": _of_shape,
    "equinox.nn.MaxPool": _of_pool,
    "nnx.GRUCell": _of_cell, "nnx.LSTMCell": _of_cell, "nnx.OptimizedLSTMCell": _of_cell,
    "nnx.SimpleCell": _of_cell,
}  # fmt: skip


def _last_first(pairs: Any) -> tuple[int, ...]:
    """Padding as ``torch.nn.functional.pad`` takes it."""
    return tuple(p for pair in reversed(pairs) for p in pair)


def _pairs(padding: Any, count: int) -> list[tuple[int, int]]:
    if isinstance(padding, int):
        return [(padding, padding)] * count
    return [(p, p) if isinstance(p, int) else tuple(p) for p in padding]


def _tuple(value: int | Sequence[int]) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def _each(value: Any, count: int) -> tuple[int, ...]:
    if value is None or isinstance(value, int):
        return (1 if value is None else value,) * count
    return tuple(value)


def _one(values: Any) -> Any:
    return values[0] if len({*values}) == 1 else tuple(values)
