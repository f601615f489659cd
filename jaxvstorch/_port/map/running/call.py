"""One call of a PyTorch function, with its arguments."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import torch


@dataclass
class Call:
    """One call of a PyTorch function.

    Attributes:
        function: what is called.
        args: positional arguments.
        kwargs: named arguments.
        after: what PyTorch's own tests do to results before they compare them, as where the sign of
            a vector is free.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    after: Callable[..., Any] | None = None

    def __call__(self) -> Any:
        """What PyTorch returns; its arguments stay as they are."""
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.function(*copied(self.args), **copied(self.kwargs))

    @property
    def wide(self) -> bool:
        """Whether an argument has 64 bits."""
        dtypes = [x if isinstance(x, torch.dtype) else getattr(x, "dtype", None)
                  for x in flat((self.args, self.kwargs))]  # fmt: skip
        return bool({torch.int64, torch.float64, torch.complex128, torch.uint64} & {*dtypes})


def flat(value: Any) -> Iterator[Any]:
    """Every argument, those in containers too."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from flat(item)
    else:
        yield value


def without_axes(call: Call) -> bool:
    """Whether the first argument is an array without dimensions."""
    first = next(iter((*call.args, *call.kwargs.values())), None)
    return getattr(first, "ndim", 1) == 0


def copied(value: Any) -> Any:
    """The same containers with copies of the arrays, which a call may change."""
    if isinstance(value, torch.Tensor):
        plain = value.layout is torch.strided or str(value.layout).startswith("torch.sparse")
        return value.detach().clone() if plain else value
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(copied(item) for item in value)
    return value


def of_pytorch(name: str) -> Any:
    """What PyTorch has under a name such as ``torch.nn.functional.relu`` or ``Tensor.add_``."""
    root, *rest = name.split(".")
    value = reduce(getattr, rest, torch.Tensor if root == "Tensor" else torch)
    # What a tensor has, such as its shape, is read by a function of the tensor.
    return value.__get__ if hasattr(value, "__get__") and not callable(value) else value
