"""A part of a draft beside the program's own, by ``check_parity``."""

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._frameworks.private.torch import pytree
from jaxvstorch._parity import Parity, check_parity
from jaxvstorch._port.draft.recording import Called
from jaxvstorch._port.map.running.values import array

TOLERANCE = 32.0  # times what one operation is allowed: a part is many
WIDEST = 32.0  # times that, where PyTorch itself is as far off


def compared(draft: ModuleType, called: Called) -> str:
    """What comparing the draft of what was called with itself came to."""
    arguments, spec = pytree.tree_flatten((called.args, called.kwargs))
    if any(isinstance(leaf, torch.nn.Module) for leaf in arguments):
        return "takes a module: compared through it"
    tensors = [i for i, leaf in enumerate(arguments) if isinstance(leaf, torch.Tensor)]
    if not tensors and not isinstance(called.function, torch.nn.Module):
        return "takes no array: not compared"
    inputs: tuple[Any, ...] = tuple(_narrow(array(arguments[i])) for i in tensors)

    def put(values: Any) -> Any:
        leaves = list(arguments)
        for i, value in zip(tensors, values, strict=True):
            leaves[i] = value
        return pytree.tree_unflatten(leaves, spec)

    if isinstance(called.function, torch.nn.Module):
        ours, theirs, own = _of_module(draft, called.function, put)
        inputs = (*own, *inputs)
        differentiable = bool(own[0].size)
    else:
        function, name, differentiable = called.function, called.name, False

        def ours(*values: Any) -> Any:
            args, kwargs = put(values)
            return plain(getattr(draft, name)(*args, **kwargs), jnp.float32)

        def theirs(*values: Any) -> Any:
            args, kwargs = put([_long(v) for v in values])
            return plain(function(*args, **kwargs), torch.tensor)

    return _told(ours, theirs, inputs, differentiable)


def _told(
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    inputs: tuple[Any, ...],
    differentiable: bool,
) -> str:
    """What comparing two functions came to."""
    gradient = (0,) if differentiable else ()
    what, where = "values and gradients" if differentiable else "values", "in float32 and float64"
    try:
        parity = check_parity(ours, theirs, inputs, gradient=gradient, tolerance=TOLERANCE)
        if not parity.same and (factor := _own_error(parity)):
            where += ", as far as PyTorch's own float32 is from float64"
            wider = TOLERANCE * factor
            parity = check_parity(ours, theirs, inputs, gradient=gradient, tolerance=wider)
    except RuntimeError as error:
        if "dtype" not in str(error):
            raise
        what, where = "values", "in float32, which the program casts to"
        answer = partial(_in_float32, theirs)
        parity = check_parity(ours, theirs, inputs, reference=answer, tolerance=TOLERANCE)
    wrong = [str(one) for one in parity.comparisons if not one.same]
    if parity.same:
        return f"at parity: {what}, {where}"
    if wrong and all(one.startswith("torch") for one in wrong):  # at a kink, say
        return f"at parity: {what}, {where}; PyTorch's own float32 differs more"
    return "not at parity: " + "; ".join(wrong or ["nothing was compared"])[:300]


def _own_error(parity: Parity) -> float:
    """Twice what PyTorch's own rounding is of what was allowed, if it is more; at most WIDEST."""
    own = [c.error / c.tolerance for c in parity.comparisons if c.what.startswith("torch")]
    return min(2 * max(own, default=0.0), WIDEST) if max(own, default=0.0) > 1 else 0.0


def _in_float32(function: Callable[..., Any], *inputs: Any) -> tuple[np.ndarray, ...]:
    """What PyTorch gives in float32 for inputs in float64."""
    leaves, spec = pytree.tree_flatten(inputs)
    narrow = [torch.from_numpy(x) if isinstance(x, np.ndarray) else x for x in leaves]
    floats = [x.float() if getattr(x, "dtype", None) == torch.float64 else x for x in narrow]
    return tuple(array(x) for x in function(*pytree.tree_unflatten(floats, spec)))


def _of_module(
    draft: ModuleType, module: torch.nn.Module, put: Callable[[Any], Any]
) -> tuple[Callable[..., Any], Callable[..., Any], tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Both modules as functions of their weights and buffers, and these; tied weights once.

    The weights are one vector, so that a gradient that should be 0, as of a bias before a
    normalization, is measured by the others.
    """
    names: dict[int, str] = {}
    tied: dict[str, str] = {}
    for name, value in [*module.named_parameters(remove_duplicate=False), *_buffers(module)]:
        tied[name] = names.setdefault(id(value), name)
    values = {name: array(value) for name, value in _buffers(module)}
    weights = {name: array(value) for name, value in module.named_parameters()}
    flat = [value.ravel() for value in weights.values()] or [np.zeros(0, np.float32)]
    made = draft.from_torch(module)

    def named(vector: Any, buffers: dict[str, Any]) -> dict[str, Any]:
        found, begin = dict(buffers), 0
        for name, value in weights.items():
            found[name] = vector[begin : begin + value.size].reshape(value.shape)
            begin += value.size
        return found

    def ours(vector: Any, buffers: Any, *inputs: Any) -> Any:
        given = named(vector, buffers)
        args, kwargs = put(inputs)
        leaves, spec = jax.tree_util.tree_flatten_with_path(made)
        new = [given[tied[_path(path)]] if _path(path) in tied else x for path, x in leaves]
        return plain(jax.tree.unflatten(spec, new)(*args, **kwargs))

    def theirs(vector: Any, buffers: Any, *inputs: Any) -> Any:
        args, kwargs = put([_long(x) for x in inputs])
        given = named(vector, {name: value.clone() for name, value in buffers.items()})
        return plain(torch.func.functional_call(module, given, args, kwargs))

    return ours, theirs, (np.concatenate(flat), values)


def _buffers(module: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    """Buffers of floating-point numbers; others, as a count of batches, stay what they are."""
    return [(name, value) for name, value in module.named_buffers() if value.is_floating_point()]


def plain(value: Any, number: Callable[[float], Any] = float) -> tuple[Any, ...]:
    """The arrays and numbers that something returned, in order.

    Args:
        value: what it returned.
        number: makes an array of a Python number, which would count as one in float64.
    """
    leaves = pytree.tree_leaves(value)  # JAX's arrays are leaves to it too
    kept = (x for x in leaves if isinstance(x, jax.Array | torch.Tensor | int | float))
    return tuple(number(x) if isinstance(x, float) else x for x in kept)


def _path(path: Any) -> str:
    """A leaf's name, as PyTorch writes it."""
    keys = (getattr(k, "name", getattr(k, "idx", getattr(k, "key", k))) for k in path)
    return ".".join(map(str, keys))


def _narrow(value: np.ndarray) -> np.ndarray:
    """Integers as JAX has them; 64 bits would make its floating-point numbers wider too."""
    return value.astype(np.int32) if value.dtype == np.int64 else value


def _long(value: Any) -> Any:
    narrow = isinstance(value, torch.Tensor) and value.dtype == torch.int32
    return value.long() if narrow else value
