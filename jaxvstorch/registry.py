"""The pairs of all topics, collected from the topics' folders.

Tests, benchmarks, book and command all start from ``PAIRS``.
"""

import importlib
import pkgutil

from jaxvstorch import examples
from jaxvstorch.pair import Pair

_COLLECTED = {
    module.name: importlib.import_module(f"jaxvstorch.examples.{module.name}.pairs")
    for module in pkgutil.iter_modules(examples.__path__)
}


def place(topic: str) -> tuple[int, int]:
    """A topic's place in the book: the number of the part, and its position there."""
    found: tuple[int, int] = _COLLECTED[topic].PLACE
    return found


def topics() -> list[str]:
    """The topics, in the order of the book."""
    return sorted(_COLLECTED, key=place)


def pairs_of(topic: str) -> tuple[Pair, ...]:
    """The pairs of one topic, in the order of its ``pairs.py``."""
    found: tuple[Pair, ...] = _COLLECTED[topic].PAIRS
    return found


PAIRS: tuple[Pair, ...] = tuple(pair for topic in topics() for pair in pairs_of(topic))
