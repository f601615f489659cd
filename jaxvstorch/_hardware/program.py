"""The programs that the topics' folders list to be compiled for hardware that is not here."""

import importlib.util
from dataclasses import dataclass
from functools import cache
from typing import Any

from jaxvstorch._pairs.pair import Pair

Spec = tuple[str | None, ...]


@dataclass(frozen=True)
class Program:
    """One function at one size, compiled in one way.

    Attributes:
        pair: the function, as in ``"updates.ring_write"``.
        size: of its inputs.
        way: how it is compiled, if one function is compiled in several ways; a word or two.
        donated: positions of the arguments that are donated. JAX alone.
        gradient: whether the program computes the sum of the results and its gradient, with respect
            to the arguments that the pair is differentiable in. JAX alone.
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
    """The programs of all topics, in the order of the book."""
    from jaxvstorch._pairs.registry import topics

    modules = [f"jaxvstorch.examples.{topic}.hardware" for topic in topics()]
    listed = [importlib.import_module(name) for name in modules if importlib.util.find_spec(name)]
    return tuple(program for module in listed for program in module.PROGRAMS)
