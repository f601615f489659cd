"""Gives both frameworks the same random numbers, for a comparison of programs that draw some."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from jaxvstorch._port.draft.given_draws import Draws


class _Numbers(Draws):
    """The same numbers at the first draw, the second, and so on, whichever framework asks."""

    def __init__(self) -> None:
        self.other: list[str] = []  # what drew other numbers

    def draw(self, shape: Any, normal: bool = False) -> np.ndarray:
        kind = "normal" if normal else "uniform"
        return np.asarray(self.numbers(shape, kind))  # type: ignore[no-untyped-call]


class _TorchDraws(TorchFunctionMode):
    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self.numbers = numbers

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        draw = _TORCH.get(getattr(function, "__name__", ""))
        return function(*args, **kwargs) if draw is None else draw(self, function, *args, **kwargs)

    def made(self, function: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
        """``randn`` and its like: PyTorch's result with other numbers in it."""
        kwargs.pop("generator", None)
        result: torch.Tensor = function(*args, **kwargs)
        numbers = self.numbers.draw(result.shape, normal="randn" in function.__name__)
        with torch.no_grad():
            return result.copy_(torch.from_numpy(np.asarray(numbers)))

    def normal(self, function: Any, mean: Any, std: Any = 1.0, *args: Any, **kwargs: Any) -> Any:
        result = function(mean, std, *args, **kwargs)
        return mean + std * torch.from_numpy(self.numbers.draw(result.shape, True)).to(result)

    def fill_normal(self, _: Any, x: torch.Tensor, mean: Any = 0.0, std: Any = 1.0) -> Any:
        with torch.no_grad():
            return x.copy_(mean + std * torch.from_numpy(self.numbers.draw(x.shape, True)))

    def fill_uniform(self, _: Any, x: torch.Tensor, a: Any = 0.0, b: Any = 1.0) -> Any:
        with torch.no_grad():
            return x.copy_(a + (b - a) * torch.from_numpy(self.numbers.draw(x.shape)))

    def fill_exponential(self, function: Any, x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if hasattr(self.numbers, "numbers"):  # JAX's own are not handed over
            return self.another(function, x, *args, **kwargs)
        return x.copy_(torch.from_numpy(self.numbers.draw(x.shape)))

    def bernoulli(self, _: Any, p: Any, **__: Any) -> Any:
        return (torch.from_numpy(self.numbers.draw(p.shape)) < p).to(p)

    def dropout(
        self, _: Any, x: torch.Tensor, p: float = 0.5, training: bool = True, *__: Any, **___: Any
    ) -> Any:
        if not training or p == 0:
            return x
        kept = torch.from_numpy(np.asarray(self.numbers.draw(x.shape) < 1 - p))
        return x * kept / (1 - p)

    def feature_dropout(self, _: Any, x: Any, p: float, training: bool, **__: Any) -> Any:
        if not training or p == 0:
            return x
        shape = (*x.shape[:2], *(1,) * (x.ndim - 2))
        return x * torch.from_numpy(np.asarray(self.numbers.draw(shape) < 1 - p)) / (1 - p)

    def attention(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Attention that drops some of its weights: PyTorch draws inside of it."""
        given = dict(zip(("query", "key", "value", "attn_mask", "dropout_p"), args, strict=False))
        given |= kwargs
        rate = given.get("dropout_p", 0.0)
        if not rate or given.get("enable_gqa") or given.get("is_causal"):
            if rate:
                self.numbers.other.append("nn.functional.scaled_dot_product_attention")
            return function(*args, **kwargs)
        q, k, v = (given[name] for name in ("query", "key", "value"))
        mask = given.get("attn_mask")
        scores = q @ k.mT * (given.get("scale") or q.shape[-1] ** -0.5)
        if mask is not None:
            scores = (
                scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
            )
        return self.dropout(None, torch.softmax(scores, -1), rate) @ v

    def recurrent(
        self, function: Any, x: Any, hx: Any, weights: Any, *settings: Any, **kwargs: Any
    ) -> Any:
        """A recurrent net that drops numbers between its layers: PyTorch draws inside of it."""
        if not isinstance(weights, list) or kwargs:  # of a packed sequence
            return self.another(function, x, hx, weights, *settings, **kwargs)
        biases, layers, rate, training, both, batch_first = settings
        if not training or rate == 0 or layers == 1:
            return function(x, hx, weights, *settings)
        is_lstm, ends = isinstance(hx, tuple | list), []
        turned = batch_first and x.ndim == 3  # the draft goes over time first
        x = x.transpose(0, 1) if turned else x
        for layer in range(layers):
            x = x if layer == 0 else self.dropout(function, x, rate)
            here = slice(layer * (1 + both), (layer + 1) * (1 + both))
            start = tuple(state[here] for state in hx) if is_lstm else hx[here]
            count = len(weights) // layers
            own = weights[layer * count : (layer + 1) * count]
            x, *end = function(x, start, own, biases, 1, 0.0, training, both, False)
            ends.append(end)
        y = x.transpose(0, 1) if turned else x
        return y, *(torch.cat(states) for states in zip(*ends, strict=True))

    def integers(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("generator", None)
        result = function(*args, **kwargs)
        bounds = [a for a in args if isinstance(a, int)]
        low, high = kwargs.get("low", 0), kwargs.get("high")
        low, high = bounds if len(bounds) == 2 else (low, high or bounds[0])
        numbers = np.floor(low + self.numbers.draw(result.shape) * (high - low))
        return result.copy_(torch.from_numpy(numbers))

    def permuted(self, function: Any, n: int, **kwargs: Any) -> Any:
        kwargs.pop("generator", None)
        order = np.argsort(self.numbers.draw((n,)))
        return function(n, **kwargs).copy_(torch.from_numpy(order))

    def another(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.numbers.other.append(function.__name__)
        return function(*args, **kwargs)


_TORCH: dict[str, Callable[..., Any]] = {
    "randn": _TorchDraws.made, "randn_like": _TorchDraws.made,
    "rand": _TorchDraws.made, "rand_like": _TorchDraws.made,
    "normal": _TorchDraws.normal, "normal_": _TorchDraws.fill_normal,
    "uniform_": _TorchDraws.fill_uniform, "bernoulli": _TorchDraws.bernoulli,
    "dropout": _TorchDraws.dropout, "dropout_": _TorchDraws.dropout,
    "feature_dropout": _TorchDraws.feature_dropout,
    "randint": _TorchDraws.integers, "randperm": _TorchDraws.permuted,
    "multinomial": _TorchDraws.another, "rrelu": _TorchDraws.another,
    "exponential_": _TorchDraws.fill_exponential, "poisson": _TorchDraws.another,
    "lstm": _TorchDraws.recurrent, "gru": _TorchDraws.recurrent,
    "rnn_tanh": _TorchDraws.recurrent, "rnn_relu": _TorchDraws.recurrent,
}  # fmt: skip


@contextmanager
def torch_draws(numbers: Any) -> Iterator[_TorchDraws]:
    """Inside the block PyTorch draws the numbers that ``numbers.draw(shape)`` returns."""
    dropout, attention = functional.dropout, functional.scaled_dot_product_attention
    try:
        with _TorchDraws(numbers) as mode:
            # A mode does not see what functions of PyTorch in Python call, such as attention's.
            functional.dropout = partial(mode.dropout, None)
            functional.scaled_dot_product_attention = partial(mode.attention, attention)
            yield mode
    finally:
        functional.dropout, functional.scaled_dot_product_attention = dropout, attention


@contextmanager
def same_draws() -> Iterator[_Numbers]:
    """Inside the block both frameworks draw the same numbers, in the order of their draws."""
    numbers = _Numbers()
    with torch_draws(numbers), numbers.handed_over():
        yield numbers
