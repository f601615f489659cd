"""Other reductions, products and softmaxes."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from jaxvstorch._diff.ways.way import Arguments, Way

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


def reductions(function: Any, arguments: Arguments) -> Iterator[Way]:
    name = function._overloadpacket.__name__
    x, dim = arguments["self"], arguments.get("dim")
    axes = list(range(x.ndim)) if dim is None else ([dim] if isinstance(dim, int) else list(dim))
    for other, compute in _REDUCTIONS.items():
        if other != name:
            yield Way(name, other, lambda f=compute: f(x, dim=axes))


def products(function: Any, arguments: Arguments) -> Iterator[Way]:
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


def softmaxes(function: Any, arguments: Arguments) -> Iterator[Way]:
    x, dim = arguments["self"], arguments["dim"]
    log = "log" in function._overloadpacket.__name__
    here, there = ("log_softmax", "softmax") if log else ("softmax", "log_softmax")
    yield Way(here, there, lambda: (torch.softmax if log else torch.log_softmax)(x, dim))
    yield Way(here, "sigmoid", lambda: torch.sigmoid(x))
