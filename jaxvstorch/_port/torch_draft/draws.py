"""The random numbers that a program in JAX drew, which its draft in PyTorch then draws too."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._frameworks.private.torch import pytree
from jaxvstorch._port.draft.same_draws import torch_draws
from jaxvstorch._port.from_jax.marks import mark
from jaxvstorch._port.from_jax.names import names_anew

_TINY = 1e-30  # of a number from the exponential distribution: what has it is drawn
_BELOW_ONE = 1 - 2**-20


class Draw(NamedTuple):
    """One draw: the numbers between 0 and 1, or normal, that give what JAX drew.

    Attributes:
        name: of the function in ``jax.random``.
        numbers: with an axis in front for each batch that it was drawn in; None if not known.
        batches: how many of those axes there are.
    """

    name: str
    numbers: np.ndarray | None
    batches: int = 0


@dataclass(eq=False)
class _Drawing:
    """What a mark in a jaxpr calls with the numbers."""

    judge: Callable[..., None]


# What PyTorch has to draw so that the draft gets what each function of ``jax.random`` returned.


def _uniform(drawn: Any, key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0,
             maxval: Any = 1.0, **_: Any) -> Any:  # fmt: skip
    return (drawn - minval) / (maxval - minval)


def _normal(drawn: Any, *_: Any, **__: Any) -> Any:
    return drawn


def _bernoulli(drawn: Any, *_: Any, **__: Any) -> Any:
    return jnp.where(drawn, 0.0, _BELOW_ONE)


def _randint(drawn: Any, key: Any, shape: Any, minval: Any, maxval: Any, *_: Any, **__: Any) -> Any:
    return (drawn - minval + 0.5) / (maxval - minval)


def _rademacher(drawn: Any, *_: Any, **__: Any) -> Any:
    return (drawn + 2) / 4


def _categorical(drawn: Any, key: Any, logits: Any, axis: int = -1, *_: Any, **__: Any) -> Any:
    return jnp.where(jax.nn.one_hot(drawn, logits.shape[axis]) > 0, _TINY, 1.0)


def _gumbel(drawn: Any, *_: Any, **__: Any) -> Any:
    return jnp.exp(-drawn)


def _permutation(drawn: Any, key: Any, x: Any, *_: Any, **__: Any) -> Any:
    order = drawn if isinstance(x, int) else _DRAWS["permutation"](key, len(x))
    return jnp.zeros(len(order)).at[order].set(jnp.arange(len(order)) / len(order))


_BACK: dict[str, Callable[..., Any]] = {
    "uniform": _uniform, "normal": _normal, "bernoulli": _bernoulli, "randint": _randint,
    "rademacher": _rademacher, "categorical": _categorical, "gumbel": _gumbel,
    "exponential": _normal, "permutation": _permutation,
}  # fmt: skip
_OTHERS = (
    "ball", "beta", "binomial", "bits", "cauchy", "choice", "dirichlet", "gamma", "laplace",
    "logistic", "multivariate_normal", "orthogonal", "poisson", "t", "truncated_normal",
)  # fmt: skip
_DRAWS = {name: getattr(jax.random, name) for name in (*_BACK, *_OTHERS)}


@contextmanager
def recorded(drew: Callable[[Draw], None]) -> Iterator[None]:
    """A block in which what ``jax.random`` draws is recorded.

    Args:
        drew: is called with each draw whose numbers are there, and not only traced.
    """
    new: Any = {name: _recording(name, function, drew) for name, function in _DRAWS.items()}
    with mock.patch.multiple(jax.random, **new), names_anew():
        yield


def _recording(
    name: str, function: Callable[..., Any], drew: Callable[[Draw], None]
) -> Callable[..., Any]:
    def judge(_: Any, values: Sequence[Any], batched: Sequence[Sequence[Any]]) -> None:
        if name not in _BACK:
            drew(Draw(name, None))
            return
        numbers = np.asarray(values[0], np.float32)
        for place, (axis,) in enumerate(reversed(batched)):  # the outermost batch first
            if axis is None:
                numbers = np.expand_dims(numbers, place)
            else:
                numbers = np.moveaxis(numbers, axis + place, place)
        drew(Draw(name, numbers, len(batched)))

    @wraps(function)
    def draw(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        numbers = _BACK[name](result, *args, **kwargs) if name in _BACK else result
        mark(_Drawing(judge), [], [numbers])
        return result

    return draw


class _Given:
    """Numbers that a draft gets, draw by draw."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.draws, self.position = draws, 0
        self.batch: tuple[int, ...] = ()  # which element of each batch draws
        self.other: list[str] = []

    def draw(self, shape: Any, normal: bool = False) -> np.ndarray:
        if self.position >= len(self.draws):
            raise LookupError("it draws more random numbers than the program")
        name, numbers, batches = self.draws[self.position]
        self.position += 1
        if numbers is None:
            raise LookupError(f"it draws by jax.random.{name}")
        for position in self.batch[len(self.batch) - batches :]:
            numbers = numbers[min(position, len(numbers) - 1)]
        if numbers.shape != tuple(shape):
            raise LookupError(f"it draws in another shape than jax.random.{name}")
        return numbers.copy()

    def looped(
        self, function: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, **_: Any
    ) -> Callable[..., Any]:
        """``torch.vmap`` as a loop over the elements, each of which draws its own numbers."""

        def call(*args: Any) -> Any:
            axes = in_dims if isinstance(in_dims, tuple | list) else [in_dims] * len(args)
            sizes = [pytree.tree_leaves(arg)[0].shape[axis]
                     for arg, axis in zip(args, axes, strict=True) if axis is not None]  # fmt: skip
            first, outer, results = self.position, self.batch, []
            for i in range(sizes[0]):
                self.position, self.batch = first, (*outer, i)
                results.append(function(*(
                    arg if axis is None
                    else pytree.tree_map(lambda x, a=axis, i=i: x.select(a, i), arg)
                    for arg, axis in zip(args, axes, strict=True)
                )))  # fmt: skip
            self.batch = outer
            return pytree.tree_map(lambda *parts: torch.stack(parts, out_dims), *results)

        return call


@contextmanager
def drawing(draws: Sequence[Draw]) -> Iterator[None]:
    """A block in which PyTorch draws these numbers, one draw after another."""
    given = _Given(draws)
    with torch_draws(given):
        if not draws:
            yield
            return
        with mock.patch.object(torch, "vmap", given.looped):
            yield
    if given.other:
        raise LookupError(f"it draws by torch.{given.other[0]}")
