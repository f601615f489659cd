"""Compares a part of a draft with the program's own, by ``check_parity``."""

import math
from collections.abc import Callable
from functools import partial, reduce
from inspect import signature
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from flax import nnx

from jaxvstorch._frameworks.private.torch import pytree
from jaxvstorch._port.draft.agreeing import compared
from jaxvstorch._port.draft.helpers import helpers_of
from jaxvstorch._port.draft.making import new_layer
from jaxvstorch._port.draft.recorded import FirstCall, Given, kept
from jaxvstorch._port.draft.same_draws import same_draws
from jaxvstorch._port.draft.seen import layer_name
from jaxvstorch._port.map.running.values import array, to_jax


def arrays_of(call: FirstCall) -> str | tuple[tuple[Any, ...], Callable[[Any], Any]]:
    """The arrays that a call was given, and what puts others in their place in its arguments.

    Or why it is not compared, in words.
    """
    arguments, spec = pytree.tree_flatten((call.args, call.kwargs))
    if any(isinstance(leaf, torch.nn.Module) for leaf in arguments):
        return "takes a module: compared through it"
    tensors = [i for i, leaf in enumerate(arguments) if isinstance(leaf, torch.Tensor)]
    if not tensors and not isinstance(call.function, torch.nn.Module):
        return "takes no array: not compared"
    inputs = tuple(narrow(array(arguments[i])) for i in tensors)

    def with_values(values: Any) -> Any:
        leaves = list(arguments)
        for i, value in zip(tensors, values, strict=True):
            leaves[i] = value
        return pytree.tree_unflatten(leaves, spec)

    return inputs, with_values


def compare_part(draft: ModuleType, call: FirstCall) -> str:
    """Compare the draft of a function or module with the original; the result in words."""
    taken = arrays_of(call)
    if isinstance(taken, str):
        return taken
    inputs, with_values = taken
    if isinstance(call.function, torch.nn.Module):
        in_jax, in_torch, state = _module_functions(draft, call, with_values)
        inputs = (*state, *inputs)
        differentiable = bool(state[0].size)
    else:
        function, differentiable = call.function, False
        drafted = getattr(draft, call.name)
        call.takes_rngs = "rngs" in signature(drafted).parameters.keys() - call.kwargs.keys()

        def in_jax(*values: Any) -> Any:
            args, kwargs = jax.tree.map(_dtype, with_values(values))
            given = {"rngs": nnx.Rngs(0)} if call.takes_rngs else {}
            return plain(drafted(*args, **kwargs, **given), jnp.float32)

        def in_torch(*values: Any) -> Any:
            args, kwargs = with_values([long(v) for v in values])
            return plain(function(*args, **kwargs), torch.tensor)

    return compared(drawing(in_jax), drawing(in_torch), inputs, differentiable)


def drawing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that draws the same random numbers in both frameworks.

    Raises:
        LookupError: it draws some that cannot be the same.
    """

    def called(*values: Any) -> Any:
        with same_draws() as numbers:
            result = function(*values)
        if numbers.other:
            raise LookupError(f"it draws by torch.{numbers.other[0]}")
        return result

    return called


def _module_functions(
    draft: ModuleType, call: FirstCall, with_values: Callable[[Any], Any]
) -> tuple[Callable[..., Any], Callable[..., Any], tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Both modules as functions of weights and buffers, and their values; tied weights once.

    The weights are one vector, so that the others give the scale for a gradient that should be 0,
    such as that of a bias before a normalization.
    """
    module: Any = call.function
    buffers = {n: array(x) for n, x in module.named_buffers() if x.is_floating_point()}
    weights = {name: array(value) for name, value in module.named_parameters()}
    flat = [value.ravel() for value in weights.values()] or [np.zeros(0, np.float32)]
    sizes = {name: value.shape for name, value in [*weights.items(), *buffers.items()]}
    graph, own = nnx.split(made(draft, call))
    places = _places(draft, call, weights | buffers)

    def named(vector: Any, values: dict[str, Any]) -> dict[str, Any]:
        state, begin = dict(values), 0
        for name in weights:
            count = math.prod(sizes[name])
            state[name] = vector[begin : begin + count].reshape(sizes[name])
            begin += count
        return state

    def in_jax(vector: Any, values: Any, *inputs: Any) -> Any:
        args, kwargs = with_values(inputs)
        everything = [jnp.ravel(values[name]) for name in buffers]
        whole = jnp.concatenate([vector, *everything]) if everything else vector
        leaves, spec = jax.tree.flatten(own)
        new = [x if at is None else whole[at] for x, at in zip(leaves, places, strict=True)]
        return plain(nnx.merge(graph, jax.tree.unflatten(spec, new))(*args, **kwargs))

    def in_torch(vector: Any, values: Any, *inputs: Any) -> Any:
        args, kwargs = with_values([long(x) for x in inputs])
        state = named(vector, {name: value.clone() for name, value in values.items()})
        return plain(torch.func.functional_call(module, state, args, kwargs))

    return in_jax, in_torch, (np.concatenate(flat), buffers)


def made(draft: ModuleType, call: FirstCall) -> Any:
    """The draft's module for one of the program's, with its weights and in its mode.

    Raises:
        LookupError: it is not known what the module was made with.
    """
    module = call.function
    assert isinstance(module, torch.nn.Module)
    if call.made_with is None:
        raise LookupError("it was not seen to be made")
    new = _new(draft, module, call.made_with)
    helpers_of(vars(draft)).from_torch(new, module.state_dict())
    for path, part in module.named_modules():
        _round_as_torch(part, reduce(_part, path.split(".") if path else [], new))
    for _, part in nnx.iter_modules(new):
        if isinstance(part, nnx.Embed):
            part.dtype = None  # it would round float64 to the dtype that it was made in
    if module.training:
        new.train()
    else:
        new.eval()
    return new


def _part(module: Any, name: str) -> Any:
    return getattr(module, name, None)


def _round_as_torch(module: torch.nn.Module, new: Any) -> None:
    """Give arrays that a module computed in float32, and that are no buffers, PyTorch's roundings.

    Both keep them as they were rounded, so that float64 would not tell whether the rest agrees.
    """
    for name, value in vars(module).items():
        if isinstance(value, torch.Tensor) and isinstance(own := _part(new, name), jax.Array):
            theirs = array(value)
            if own.shape == theirs.shape and np.allclose(own, theirs, 1e-5, 1e-6):
                setattr(new, name, jnp.asarray(theirs, own.dtype))


def _new(draft: ModuleType, module: torch.nn.Module, given: Given) -> Any:
    """A module of the draft, made with the arguments that PyTorch's was made with."""
    setting = partial(_setting, draft, given)
    args, kwargs = jax.tree.map(setting, (given.args, given.kwargs))
    return getattr(draft, type(module).__name__)(*args, rngs=nnx.Rngs(0), **kwargs)


def _setting(draft: ModuleType, given: Given, value: Any) -> Any:
    """An argument of a module as its draft takes it.

    Raises:
        LookupError: it is a module, and it is not known what that was made with.
    """
    if isinstance(value, torch.nn.Module):
        if layer_name(value) is not None:
            return new_layer(value, vars(draft))
        if id(value) not in given.inner:
            raise LookupError(f"it was made with a {type(value).__name__}")
        return _new(draft, value, given.inner[id(value)])
    if isinstance(value, type) and issubclass(value, torch.nn.Module):
        return getattr(draft, value.__name__)
    return to_jax(value) if isinstance(value, torch.Tensor | torch.dtype) else kept(value)


def _places(
    draft: ModuleType, call: FirstCall, values: dict[str, np.ndarray]
) -> list[np.ndarray | None]:
    """For each array of a draft's module, where its numbers are in one vector of PyTorch's.

    ``from_torch`` carries the positions themselves over. A float32 holds them up to 2**24 only, so
    they go in two parts.
    """
    module: Any = call.function
    base, begin = 1 << 12, 0
    parts: list[dict[str, torch.Tensor]] = [dict(module.state_dict()) for _ in range(3)]
    names = {id(x): n for n, x in [*module.named_parameters(), *module.named_buffers()]}
    every = [
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    ]
    starts = {}
    for name, value in values.items():
        starts[name], begin = begin, begin + value.size
    for name, tensor in every:
        if (first := names[id(tensor)]) in starts and name in parts[0]:
            at = torch.arange(tensor.numel(), dtype=torch.float64) + starts[first]
            parts[0][name] = (at % base).reshape(tensor.shape)
            parts[1][name] = (at // base).reshape(tensor.shape)
            parts[2][name] = torch.full_like(at, -1.0).reshape(tensor.shape)
    low, high, none = (_loaded(draft, call, part) for part in parts)
    return [  # an array that the draft computes is in no state
        None if not _is_weight(a) or np.array_equal(a, c) else (a + b * base).astype(np.int32)
        for a, b, c in zip(low, high, none, strict=True)
    ]


def _is_weight(value: Any) -> bool:
    return bool(jnp.issubdtype(value.dtype, jnp.floating))


def _loaded(draft: ModuleType, call: FirstCall, state: dict[str, torch.Tensor]) -> list[Any]:
    module = made(draft, call)
    helpers_of(vars(draft)).from_torch(module, state)
    leaves = jax.tree.leaves(nnx.state(module))
    return [np.asarray(x, np.float64) if _is_weight(x) else x for x in leaves]


def plain(value: Any, number: Callable[[float], Any] = float) -> tuple[Any, ...]:
    """The arrays and numbers that a function returned, in order.

    Args:
        value: the function's result.
        number: makes an array of a Python float, which would count as one in float64.
    """
    leaves = pytree.tree_leaves(value)  # JAX's arrays are leaves to it too
    kept = (x for x in leaves if isinstance(x, jax.Array | torch.Tensor | int | float))
    return tuple(number(x) if isinstance(x, float) else x for x in kept)


def _dtype(value: Any) -> Any:
    return to_jax(value) if isinstance(value, torch.dtype) else value


def narrow(value: np.ndarray) -> np.ndarray:
    """Integers as JAX has them; 64 bits would make its floating-point numbers wider too."""
    return value.astype(np.int32) if value.dtype == np.int64 else value


def long(value: Any) -> Any:
    narrow = isinstance(value, torch.Tensor) and value.dtype == torch.int32
    return value.long() if narrow else value
