"""What the instruments need from PyTorch."""

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any

import ml_dtypes
import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from jaxvstorch._frameworks.containers import leaves, mapped
from jaxvstorch._frameworks.private import torch as private

_SEED = 8_346_127  # one that no function sets itself


def from_numpy(value: Any) -> Any:
    """Turn NumPy arrays and scalars into CPU tensors of the same dtype; leave the rest."""
    if not isinstance(value, np.ndarray | np.generic):
        return value
    array = np.array(value)  # a copy: a tensor must not share memory with an input
    if array.dtype == ml_dtypes.bfloat16:  # torch does not know NumPy's bfloat16
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_device(arguments: Any) -> Any:
    """The arguments on PyTorch's device: the GPU, if there is one."""
    if not torch.cuda.is_available():
        return arguments
    return private.pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.cuda(), arguments)


def to_numpy(value: Any) -> Any:
    """Turn tensors in ``value`` into NumPy arrays; bfloat16 keeps its dtype (ml_dtypes)."""
    return private.pytree.tree_map_only(torch.Tensor, _tensor_to_numpy, value)


def _tensor_to_numpy(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    tensor = tensor.detach().clone()  # later changes of the tensor must not show
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.uint16).numpy(force=True).view(ml_dtypes.bfloat16)
    return tensor.numpy(force=True)


def wait(value: Any) -> Any:
    """Return ``value`` when the GPU, if there is one, has finished; on the CPU at once."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return value


def compile(
    function: Callable[..., Any], static_argnames: Sequence[str] = (), **options: Any
) -> Callable[..., Any]:
    """``torch.compile``. It needs no list of static arguments: it guards on Python values."""
    return torch.compile(function, **options)


def uncompiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that ``torch.compile`` was given to make this one; else the same.

    A wrapper around a compiled function has copies of its attributes, and does more than it.
    """
    original: Callable[..., Any] | None = getattr(function, private.ORIGINAL_FUNCTION, None)
    if isinstance(function, FunctionType) and function.__dict__.get("__wrapped__") is original:
        return original or function
    return function


def widened(function: Callable[..., Any]) -> Callable[..., Any]:
    """A copy of a module with its floating-point numbers in float64; another function as it is."""
    if not isinstance(function, torch.nn.Module):
        return function
    return copy.deepcopy(getattr(function, private.ORIGINAL_MODULE, function)).double()


def observed(function: Callable[..., Any], arguments: Sequence[Any]) -> set[str]:
    """What a function does in one call; nothing where that fails.

    Returns:
        ``"narrow"`` if it makes floating-point tensors narrower than float64, ``"random"`` if it
        draws from PyTorch's generator.
    """
    dtypes: set[torch.dtype] = set()

    class Record(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = function(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor):
                dtypes.add(result.dtype)
            return result

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        before = torch.get_rng_state()
        try:
            with Record():
                function(*arguments)
        except Exception:  # a compiler inside may refuse to be watched
            return set()
        drew = not torch.equal(before, torch.get_rng_state())
    narrow = {torch.float32, torch.float16, torch.bfloat16} & dtypes
    return {name for name, seen in (("narrow", narrow), ("random", drew)) if seen}


def double_precision() -> AbstractContextManager[None]:
    """A context in which 64-bit types are on: in PyTorch they always are."""
    return nullcontext()


def value_and_gradients(
    function: Callable[..., Any],
    arguments: Callable[[], Sequence[Any]],
    argnums: Sequence[int],
    weights_of: Callable[[Any], Any],
) -> tuple[Any, Any]:
    """What a function returns, and the gradients of ``sum(weights * function(*arguments()))``.

    Both come from one call: a compiled function would be compiled again for a call that records
    nothing.

    Args:
        function: returns a tensor, or containers of tensors; integers and booleans among them do
            not count.
        arguments: makes its arguments.
        argnums: positions of the arguments to differentiate.
        weights_of: makes the weights of what the function returned: as many NumPy arrays as it
            returned, of the same shapes.

    Raises:
        TypeError: PyTorch has not recorded how any output depends on an argument.
    """
    # The caller's own no_grad() or inference_mode() is not the function's.
    with torch.inference_mode(False), torch.enable_grad():
        given = [_fresh(arg, wanted=i in argnums) for i, arg in enumerate(arguments())]
        # Copies, because autograd does not allow a leaf to change in place.
        copies = [mapped(torch.clone, x) if i in argnums else x for i, x in enumerate(given)]
        value = function(*copies)
        wanted = [x for i in argnums for x in leaves(given[i])]
        total = _weighted_sum(value, weights_of(value))
        connected = total.requires_grad  # perhaps by the function's own parameters alone
        gradients = torch.autograd.grad(total, wanted, allow_unused=True) if connected else ()
    if all(gradient is None for gradient in gradients):
        raise TypeError(
            "gradient: PyTorch recorded no path from the outputs back to an argument, so the "
            "function does not use it or leaves autograd: by .detach(), .item(), .numpy(), "
            "torch.no_grad() or a new tensor created from values. Remove that, or compare only the "
            "values, without gradient"
        )
    pairs = zip(wanted, gradients, strict=True)
    return value, [torch.zeros_like(x) if gradient is None else gradient for x, gradient in pairs]


def _fresh(arg: Any, *, wanted: bool) -> Any:
    """The same with copies of its tensors, made outside ``inference_mode``."""
    return private.pytree.tree_map_only(
        torch.Tensor,
        lambda x: x.detach().clone().requires_grad_(wanted or x.requires_grad),
        arg,
    )


def _weighted_sum(value: Any, weights: Any) -> torch.Tensor:
    outputs = map(torch.as_tensor, leaves(value))
    parts = [
        (torch.as_tensor(weight, dtype=out.dtype, device=out.device) * out).sum()
        for weight, out in zip(weights, outputs, strict=True)
        if out.is_floating_point() or out.is_complex()
    ]
    return sum(parts, start=torch.zeros(()))
