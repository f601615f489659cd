"""The ways in which operations of PyTorch commonly differ from what another framework does.

Each way is an operation with an argument changed, or another operation in its place. It is tried:
the cause of a difference is the way that gives the other side's numbers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Way:
    """One way.

    Attributes:
        here: what the operation has, such as ``eps=1e-05``.
        there: what the other side would have.
        compute: gives its numbers.
    """

    here: str
    there: str
    compute: Callable[..., Any]


_EPS = [0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
_VALUES: dict[str, list[Any]] = {
    "align_corners": [False, True],
    "alpha": [1.0, 0.1, 0.2, 0.5, 1.6732632423543772],
    "approximate": ["none", "tanh"],
    "beta": [1.0, 0.5, 2.0],
    "ceil_mode": [False, True],
    "correction": [0, 1],
    "count_include_pad": [True, False],
    "delta": [1.0, 0.1, 0.5],
    "eps": _EPS,
    "half_to_float": [],
    "is_causal": [False, True],
    "negative_slope": [0.01, 0.1, 0.2, 0.3],
    "reduction": [0, 1, 2],
    "threshold": [20.0, 0.0],
    "unbiased": [True, False],
}
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "no activation": lambda x: x,
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu by a sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softplus": F.softplus,
    "elu": F.elu,
    "leaky_relu": F.leaky_relu,
    "mish": F.mish,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "relu6": F.relu6,
    "selu": F.selu,
    "softsign": F.softsign,
    "log_sigmoid": F.logsigmoid,
    "exp": torch.exp,
    "exp(x / 2)": lambda x: torch.exp(x / 2),
    "exp(2 x)": lambda x: torch.exp(2 * x),
    "square": torch.square,
    "sqrt": torch.sqrt,
    "abs": torch.abs,
    "sin": torch.sin,
    "cos": torch.cos,
}  # fmt: skip
_UNARY = {
    "abs", "cos", "elu", "exp", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "log_sigmoid_forward", "mish", "relu", "rsqrt", "sigmoid", "silu", "sin", "softplus", "sqrt",
    "tanh",
}  # fmt: skip
_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "mean": torch.mean,
    "sum": torch.sum,
    "amax": torch.amax,
    "amin": torch.amin,
    "var": torch.var,
    "std": torch.std,
    "var with correction=0": lambda x, dim: torch.var(x, dim, correction=0),
    "std with correction=0": lambda x, dim: torch.std(x, dim, correction=0),
    "logsumexp": torch.logsumexp,
    "norm": lambda x, dim: torch.linalg.vector_norm(x, dim=dim),
    "mean of squares": lambda x, dim: x.square().mean(dim),
}
_FILLS = [float("-inf"), 0.0, 1.0, -1.0, -10.0, -100.0, -1e3, -1e4, -1e5, -1e6, -1e9, -1e10, -1e30,
          torch.finfo(torch.float32).min, torch.finfo(torch.float16).min]  # fmt: skip


def ways(function: Any, arguments: Arguments) -> Iterator[Way]:
    """The ways of one call.

    Args:
        function: of ATen, an overload.
        arguments: by the names of its schema.
    """
    name = function._overloadpacket.__name__.removesuffix("_")
    yield from _other_values(function, arguments)
    for special in _SPECIAL.get(name, ()):
        yield from special(function, arguments)
    if name in _UNARY and isinstance(x := arguments.get("self"), torch.Tensor):
        for other, compute in ACTIVATIONS.items():
            if other != name:
                yield Way(name, other, lambda x=x, f=compute: f(x))
    yield from _without_weights(function, arguments)


def _other_values(function: Any, arguments: Arguments) -> Iterator[Way]:
    for key, value in arguments.items():
        if isinstance(value, torch.Tensor):
            continue
        for other in _VALUES.get(key, ()):
            if other != value:
                yield _changed(function, arguments, key, other)
    for key in ("dim", "dims"):
        if key in arguments:
            yield from _other_axes(function, arguments, key)


def _other_axes(function: Any, arguments: Arguments, key: str) -> Iterator[Way]:
    value = arguments[key]
    tensor = arguments.get("self")
    if not isinstance(tensor, torch.Tensor):
        return
    ndim = tensor.ndim
    if isinstance(value, int):
        for other in range(ndim):
            if other != value % ndim:
                yield _changed(function, arguments, key, other)
    elif isinstance(value, list | tuple):
        axes = {axis % ndim for axis in value}
        for mask in range(1, 1 << ndim):
            others = [axis for axis in range(ndim) if mask >> axis & 1]
            if set(others) != axes:
                yield _changed(function, arguments, key, others)


def _changed(function: Any, arguments: Arguments, key: str, other: Any) -> Way:
    def compute() -> Any:
        return function(**{**arguments, key: other})

    return Way(f"{key}={_text(arguments[key])}", f"{key}={_text(other)}", compute)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _without_weights(function: Any, arguments: Arguments) -> Iterator[Way]:
    given = [key for key in ("weight", "bias") if isinstance(arguments.get(key), torch.Tensor)]
    optional = {a.name for a in function._schema.arguments if str(a.type).startswith("Optional")}
    for keys in (*([key] for key in given), given):
        if keys and set(keys) <= optional:
            none = dict.fromkeys(keys)
            names = " and ".join(keys)
            yield Way(
                f"a {names}", f"no {names}", lambda none=none: function(**{**arguments, **none})
            )


def _kernels(function: Any, arguments: Arguments) -> Iterator[Way]:
    """A convolution with its kernel turned, or with other padding."""
    weight, x = arguments["weight"], arguments["input"]
    spatial = list(range(2, weight.ndim))
    turned = {
        "the kernel's spatial axes reversed": lambda: weight.flip(spatial),
    }
    if len(spatial) == 2 and weight.shape[2] == weight.shape[3]:
        turned["the kernel's height and width swapped"] = lambda: weight.transpose(2, 3)
        turned["height and width swapped, both reversed"] = lambda: weight.transpose(2, 3).flip(
            spatial
        )
    if weight.shape[0] == weight.shape[1]:
        turned["the kernel's input and output channels swapped"] = lambda: weight.transpose(0, 1)
        turned["the kernel's channels swapped and its spatial axes reversed"] = lambda: (
            weight.transpose(0, 1).flip(spatial)
        )
    for text, kernel in turned.items():
        yield Way(
            "the kernel as it is",
            text,
            lambda kernel=kernel: function(**{**arguments, "weight": kernel()}),
        )
    if arguments.get("transposed"):
        return
    for low, high in _paddings(arguments["padding"]):
        yield Way(
            f"padding={_text(list(arguments['padding']))}",
            f"padding {low} before and {high} after (as padding='SAME' has)",
            lambda low=low, high=high: function(
                **{
                    **arguments,
                    "input": F.pad(x, (low, high) * len(spatial)),
                    "padding": [0] * len(spatial),
                }
            ),
        )


def _paddings(padding: Any) -> Iterator[tuple[int, int]]:
    most = 2 * max([*padding, 1])
    for low in range(most + 1):
        for high in range(most + 1):
            if low != high:
                yield low, high
    for both in range(most + 1):
        if [both] * len(padding) != list(padding):
            yield both, both


def _pools(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, padding = arguments["self"], arguments.get("padding") or [0, 0]
    spatial = len(arguments["kernel_size"])
    for fill, what in ((0.0, "by 0"), (float("-inf"), "by -inf")):
        for low, high in [*_paddings(padding), (max(padding), max(padding))]:
            yield Way(
                f"padding={_text(list(padding))}",
                f"padding {what}: {low} before and {high} after",
                lambda fill=fill, low=low, high=high: function(
                    **{
                        **arguments,
                        "self": F.pad(x, (low, high) * spatial, value=fill),
                        "padding": [0] * spatial,
                    }
                ),
            )
    size = {
        "kernel_size": arguments["kernel_size"],
        "stride": arguments.get("stride"),
        "padding": padding,
    }
    is_max = "max" in function._overloadpacket.__name__
    other = (F.avg_pool2d if is_max else F.max_pool2d) if spatial == 2 else None
    if other is not None:
        here, there = ("maximum", "mean") if is_max else ("mean", "maximum")
        yield Way(f"the {here}", f"the {there}", lambda: other(x, **size))


def _resizes(function: Any, arguments: Arguments) -> Iterator[Way]:
    x = arguments["self"] if "self" in arguments else arguments["input"]
    here = function._overloadpacket.__name__.removeprefix("upsample_")
    size = arguments.get("output_size")
    if size is None or x.ndim != 4:
        return
    for mode, antialias, corners in (
        ("nearest", False, None),
        ("nearest-exact", False, None),
        ("bilinear", False, False),
        ("bilinear", False, True),
        ("bilinear", True, False),
        ("bicubic", False, False),
        ("bicubic", False, True),
        ("bicubic", True, False),
    ):
        text = f"mode={mode!r}"
        text += ", antialias=True" if antialias else ""
        text += ", align_corners=True" if corners else ""
        yield Way(
            here,
            text,
            lambda m=mode, a=antialias, c=corners: F.interpolate(
                x, size=tuple(size), mode=m, antialias=a, align_corners=c
            ),
        )


def _groups(function: Any, arguments: Arguments) -> Iterator[Way]:
    channels = int(arguments["C"])
    for group in range(1, channels + 1):
        if channels % group == 0 and group != arguments["group"]:
            yield _changed(function, arguments, "group", group)


def _norms(function: Any, arguments: Arguments) -> Iterator[Way]:
    """Other norms over the same axes, with the same weight and bias."""
    x, shape = arguments["input"], arguments["normalized_shape"]
    axes = tuple(range(-len(shape), 0))
    weight, bias, eps = arguments.get("weight"), arguments.get("bias"), arguments["eps"]

    def affine(y: torch.Tensor) -> torch.Tensor:
        y = y if weight is None else y * weight
        return y if bias is None else y + bias

    def centred() -> Any:
        return x - x.mean(axes, keepdim=True)

    def variance(correction: int = 0) -> Any:
        return x.var(axes, keepdim=True, correction=correction)

    yield Way("the mean subtracted", "the mean not subtracted (RMSNorm)", lambda: affine(
        x * torch.rsqrt(x.square().mean(axes, keepdim=True) + eps)))  # fmt: skip
    yield Way("the mean subtracted", "the mean not subtracted from what is divided",
              lambda: affine(x * torch.rsqrt(variance() + eps)))  # fmt: skip
    yield Way("the variance over n", "the variance over n - 1 (ddof=1)",
              lambda: affine(centred() * torch.rsqrt(variance(1) + eps)))  # fmt: skip
    yield Way("eps inside the root", "eps added to the deviation",
              lambda: affine(centred() / (variance().sqrt() + eps)))  # fmt: skip
    yield Way("division by the deviation", "division by the variance",
              lambda: affine(centred() / (variance() + eps)))  # fmt: skip


def _batch_norms(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, eps = arguments["input"], arguments["eps"]
    mean: Any = arguments.get("running_mean")
    variance: Any = arguments.get("running_var")
    weight, bias = arguments.get("weight"), arguments.get("bias")
    shape = (1, -1, *[1] * (x.ndim - 2))

    def affine(y: torch.Tensor) -> torch.Tensor:
        y = y if weight is None else y * weight.view(shape)
        return y if bias is None else y + bias.view(shape)

    axes = [0, *range(2, x.ndim)]
    batch_mean, batch_variance = x.mean(axes), x.var(axes, correction=0)
    running = ("the statistics of the batch (training mode)", batch_mean, batch_variance)
    if mean is not None:
        here = "the running statistics"
        if arguments.get("training"):
            here, running = running[0], (here, mean, variance)
            batch_mean, batch_variance, mean, variance = mean, variance, batch_mean, batch_variance
        yield Way(here, running[0], lambda: affine(
            (x - running[1].view(shape)) * torch.rsqrt(running[2].view(shape) + eps)))  # fmt: skip
        yield Way("division by the deviation", "division by the variance", lambda: affine(
            (x - mean.view(shape)) / (variance.view(shape) + eps)))  # fmt: skip
        yield Way("the variance's root", "the variance taken for the deviation", lambda: affine(
            (x - mean.view(shape)) / variance.view(shape)))  # fmt: skip


def _fills(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, mask, value = arguments["self"], arguments["mask"], arguments["value"]
    here = float(value)
    for other in _FILLS:
        if other != here:
            yield Way(
                f"masked by {here:g}",
                f"masked by {other:g}",
                lambda other=other: x.masked_fill(mask, other),
            )
    yield from _masks(mask, lambda mask: x.masked_fill(mask, here))


def _masks(mask: torch.Tensor, masked: Callable[[torch.Tensor], Any]) -> Iterator[Way]:
    """Another mask: inverted, turned, or moved by one."""
    yield Way("the mask", "the mask inverted", lambda: masked(~mask))
    yield Way("the mask", "no mask", lambda: masked(torch.zeros_like(mask)))
    if mask.ndim < 2:
        return
    rows, columns = mask.shape[-2:]
    if rows == columns:
        yield Way("the mask", "the mask transposed", lambda: masked(mask.mT))
        yield Way("the mask", "the mask transposed and inverted", lambda: masked(~mask.mT))
    eye = torch.eye(rows, columns, dtype=torch.bool)
    yield Way("the mask", "the mask with the diagonal masked too", lambda: masked(mask | eye))
    yield Way("the mask", "the mask without the diagonal", lambda: masked(mask & ~eye))
    ones = torch.ones(rows, columns, dtype=torch.bool)
    for n in (-2, -1, 0, 1, 2):
        for text, other in (("from", ones.triu(n)), ("up to", ones.tril(n))):
            yield Way(
                "the mask",
                f"a triangular mask, True {text} diagonal {n}",
                lambda other=other: masked(other),
            )


def _wheres(function: Any, arguments: Arguments) -> Iterator[Way]:
    condition, a, b = arguments["condition"], arguments["self"], arguments["other"]
    yield from _masks(condition, lambda condition: torch.where(condition, a, b))


def _rows(function: Any, arguments: Arguments) -> Iterator[Way]:
    weight, indices = arguments["weight"], arguments["indices"]
    for n in (1, -1):
        yield Way(
            "the indices", f"the indices {n:+d}",
            lambda n=n: weight[(indices + n).clamp(0, len(weight) - 1)],
        )  # fmt: skip
    factor = weight.shape[1] ** 0.5
    yield Way("the rows", f"the rows times {factor:g}", lambda: weight[indices] * factor)


def _joins(function: Any, arguments: Arguments) -> Iterator[Way]:
    tensors, dim = list(arguments["tensors"]), arguments.get("dim", 0)
    if len(tensors) > 1:
        join = torch.stack if "stack" in function._overloadpacket.__name__ else torch.cat
        yield Way("the parts in this order", "the parts in the reverse order",
                  lambda: join(tensors[::-1], dim))  # fmt: skip


def _reductions(function: Any, arguments: Arguments) -> Iterator[Way]:
    name = function._overloadpacket.__name__
    x, dim = arguments["self"], arguments.get("dim")
    axes = list(range(x.ndim)) if dim is None else ([dim] if isinstance(dim, int) else list(dim))
    for other, compute in _REDUCTIONS.items():
        if other != name:
            yield Way(name, other, lambda f=compute: f(x, dim=axes))


def _products(function: Any, arguments: Arguments) -> Iterator[Way]:
    """A product with a square matrix transposed."""
    first = arguments.get("self")
    second = arguments.get("mat2")
    for key, x in (("the first matrix", first), ("the second matrix", second)):
        if isinstance(x, torch.Tensor) and x.ndim >= 2 and x.shape[-1] == x.shape[-2]:
            turned = x.mT
            other = {"self": turned} if x is first else {"mat2": turned}
            yield Way(
                f"{key} as it is",
                f"{key} transposed (a kernel)",
                lambda other=other: function(**{**arguments, **other}),
            )


def _softmaxes(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, dim = arguments["self"], arguments["dim"]
    log = "log" in function._overloadpacket.__name__
    here, there = ("log_softmax", "softmax") if log else ("softmax", "log_softmax")
    yield Way(here, there, lambda: (torch.softmax if log else torch.log_softmax)(x, dim))
    yield Way(here, "sigmoid", lambda: torch.sigmoid(x))


def _slices(function: Any, arguments: Arguments) -> Iterator[Way]:
    """One half of an axis, or every second of its elements."""
    x, dim = arguments["self"], arguments.get("dim", 0)
    size = x.shape[dim]
    start, end = arguments.get("start") or 0, min(arguments.get("end") or size, size)
    step = arguments.get("step", 1)
    half = size // 2
    here = "every second element" if step == 2 else f"elements {start} to {end - 1}"
    index = [slice(None)] * x.ndim

    def part(s: slice) -> Callable[[], torch.Tensor]:
        at = [*index]
        at[dim] = s
        return lambda: x[tuple(at)]

    if size % 2 == 0 and (end - start == half or step == 2):  # as rotary positions have them
        yield Way(here, "every second element, from the first", part(slice(0, None, 2)))
        yield Way(here, "every second element, from the second", part(slice(1, None, 2)))
        yield Way(here, "the first half", part(slice(0, half)))
        yield Way(here, "the second half", part(slice(half, None)))


def _splits(function: Any, arguments: Arguments) -> Iterator[Way]:
    """The parts of an axis beside each other, or each of every n-th of its elements."""
    x, dim, size = arguments["self"], arguments.get("dim", 0), arguments["split_size"]
    parts = -(-x.shape[dim] // size)
    index = [slice(None)] * x.ndim
    for n in range(parts):
        at = [*index]
        at[dim] = slice(n, None, parts)
        yield Way(
            f"{parts} parts behind each other",
            f"{parts} parts interleaved, each of every {parts}th element",
            lambda at=tuple(at): x[at],
        )


_SPECIAL: dict[str, tuple[Callable[[Any, Arguments], Iterator[Way]], ...]] = {
    "_log_softmax": (_softmaxes,),
    "_softmax": (_softmaxes,),
    "amax": (_reductions,),
    "amin": (_reductions,),
    "avg_pool2d": (_pools,),
    "bmm": (_products,),
    "cat": (_joins,),
    "convolution": (_kernels,),
    "embedding": (_rows,),
    "linalg_vector_norm": (_reductions,),
    "masked_fill": (_fills,),
    "max_pool2d_with_indices": (_pools,),
    "mean": (_reductions,),
    "mm": (_products,),
    "native_batch_norm": (_batch_norms,),
    "native_group_norm": (_groups,),
    "native_layer_norm": (_norms,),
    "slice": (_slices,),
    "split": (_splits,),
    "stack": (_joins,),
    "sum": (_reductions,),
    "upsample_bicubic2d": (_resizes,),
    "upsample_bilinear2d": (_resizes,),
    "upsample_nearest2d": (_resizes,),
    "where": (_wheres,),
}
