"""What is compiled for hardware that is not here, as the topics' folders list it."""

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Any

from jaxvstorch import examples
from jaxvstorch._pairs.pair import Pair

Spec = tuple[str | None, ...]


@dataclass(frozen=True)
class Program:
    """One function at one size, compiled in one way.

    Attributes:
        pair: the function, as in ``"updates.ring_write"``.
        size: of its inputs.
        way: how it is compiled, where one function is compiled in several; a word or two.
        donated: positions of the arguments that are donated. JAX alone.
        gradient: whether the program is the sum of the results with its gradient, by the arguments
            that the pair is differentiable in. JAX alone.
        dtype: of the floating-point arrays.
        mesh: the axes of the devices and how many devices lie along each. One device without it.
            JAX alone.
        shards: for each argument, which axis of the devices cuts each of its axes.
        halves: the frameworks whose half is compiled.
    """

    pair: str
    size: int
    way: str = ""
    donated: tuple[int, ...] = ()
    gradient: bool = False
    dtype: str = "float32"
    mesh: tuple[tuple[str, int], ...] = ()
    shards: tuple[Spec, ...] = ()
    halves: tuple[str, ...] = ("jax", "torch")

    def __post_init__(self) -> None:
        alone = self.donated or self.gradient or self.mesh
        if alone and "torch" in self.halves:
            object.__setattr__(self, "halves", ("jax",))

    def __str__(self) -> str:
        return f"{self.pair}, {self.way}" if self.way else self.pair

    def registered(self) -> Pair:
        """The pair itself.

        Raises:
            LookupError: there is none of this name.
        """
        from jaxvstorch._pairs.registry import PAIRS

        for pair in PAIRS:
            if str(pair) == self.pair:
                return pair
        raise LookupError(f"there is no pair {self.pair}")

    def arguments(self) -> tuple[Any, ...]:
        """Its arguments, as NumPy arrays and Python values."""
        return self.registered().make_inputs(self.size, self.dtype)

    @property
    def devices(self) -> int:
        """How many devices it is compiled for."""
        count = 1
        for _, along in self.mesh:
            count *= along
        return count


@cache
def programs() -> tuple[Program, ...]:
    """What all topics list, in the order of the book."""
    from jaxvstorch._pairs.registry import topics

    have = {m.name for m in pkgutil.iter_modules(examples.__path__) if _lists(m.name)}
    listed = [topic for topic in topics() if topic in have]
    return tuple(program for topic in listed for program in _listed(topic))


def _lists(topic: str) -> bool:
    return importlib.util.find_spec(f"jaxvstorch.examples.{topic}.hardware") is not None


def _listed(topic: str) -> tuple[Program, ...]:
    found: tuple[Program, ...] = importlib.import_module(
        f"jaxvstorch.examples.{topic}.hardware"
    ).PROGRAMS
    return found
