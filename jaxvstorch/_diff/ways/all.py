"""The ways in which operations of PyTorch commonly differ from what another framework does.

Each way is an operation with an argument changed, or another operation in its place. It is tried:
the cause of a difference is the way that gives the other side's numbers.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from jaxvstorch._diff.ways import masks, norms, parts, reducing, windows
from jaxvstorch._diff.ways.activations import activations
from jaxvstorch._diff.ways.twins import twins
from jaxvstorch._diff.ways.way import Arguments, Way, changed

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
    "reduction": [2, 1, 0],
    "threshold": [20.0, 0.0],
    "unbiased": [True, False],
}
_SPECIAL: dict[str, Callable[[Any, Arguments], Iterator[Way]]] = {
    "_native_batch_norm_legit_functional": norms.running_statistics,
    "_log_softmax": reducing.softmaxes,
    "_softmax": reducing.softmaxes,
    "amax": reducing.reductions,
    "amin": reducing.reductions,
    "avg_pool2d": windows.pools,
    "bmm": reducing.products,
    "cat": parts.joins,
    "convolution": windows.kernels,
    "embedding": parts.rows,
    "linalg_vector_norm": reducing.reductions,
    "masked_fill": masks.fills,
    "max_pool2d_with_indices": windows.pools,
    "mean": reducing.reductions,
    "mm": reducing.products,
    "native_batch_norm": norms.batch_norms,
    "native_group_norm": norms.groups,
    "native_layer_norm": norms.norms,
    "slice": parts.slices,
    "split": parts.splits,
    "stack": parts.joins,
    "sum": reducing.reductions,
    "upsample_bicubic2d": windows.resizes,
    "upsample_bilinear2d": windows.resizes,
    "upsample_nearest2d": windows.resizes,
    "where": masks.wheres,
}


def ways(function: Any, arguments: Arguments) -> Iterator[Way]:
    """The ways of one call.

    Args:
        function: of ATen, an overload.
        arguments: by the names of its schema.
    """
    name = function._overloadpacket.__name__.removesuffix("_")
    yield from _other_values(function, arguments)
    if name in _SPECIAL:
        yield from _SPECIAL[name](function, arguments)
    yield from activations(name, arguments)
    yield from _without_weights(function, arguments)
    yield from twins(function, arguments)


def _other_values(function: Any, arguments: Arguments) -> Iterator[Way]:
    for key, value in arguments.items():
        if isinstance(value, torch.Tensor):
            continue
        for other in _VALUES.get(key, ()):
            if other != value:
                yield changed(function, arguments, key, other)
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
                yield changed(function, arguments, key, other)
    elif isinstance(value, list | tuple):
        axes = {axis % ndim for axis in value}
        for mask in range(1, 1 << ndim):
            others = [axis for axis in range(ndim) if mask >> axis & 1]
            if set(others) != axes:
                yield changed(function, arguments, key, others)


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
