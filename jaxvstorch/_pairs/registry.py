"""The pairs of all topics, collected from the topics' folders.

Tests, benchmarks, book and command all start from ``PAIRS``.
"""

import difflib
import importlib
import pkgutil
from types import ModuleType

from jaxvstorch import examples
from jaxvstorch._pairs.pair import Pair

_COLLECTED = {
    module.name: importlib.import_module(f"jaxvstorch.examples.{module.name}.pairs")
    for module in pkgutil.iter_modules(examples.__path__)
}


def position(topic: str) -> tuple[int, int]:
    """A topic's position in the book: the number of its part, and its number there.

    Raises:
        LookupError: there is no such topic; the message names the nearest.
    """
    numbers: tuple[int, int] = _collected(topic).POSITION
    return numbers


def topics() -> list[str]:
    """The topics, in the order of the book."""
    return sorted(_COLLECTED, key=position)


def pairs_of(topic: str) -> tuple[Pair, ...]:
    """The pairs of one topic, in the order of its ``pairs.py``.

    Raises:
        LookupError: there is no such topic; the message names the nearest.
    """
    pairs: tuple[Pair, ...] = _collected(topic).PAIRS
    return pairs


def _collected(topic: str) -> ModuleType:
    if topic not in _COLLECTED:
        raise LookupError(unknown(topic))
    return _COLLECTED[topic]


PAIRS: tuple[Pair, ...] = tuple(pair for topic in topics() for pair in pairs_of(topic))


def example(name: str) -> Pair:
    """One function in both frameworks, with the inputs that it is tested on.

    Args:
        name: such as ``"branching.select_where"``; ``jaxvstorch list`` prints all.

    Raises:
        LookupError: there is no such pair; the message names the nearest.

    >>> pair = example("branching.select_where")
    >>> inputs = pair.make_inputs(4, "float32", seed=0)
    >>> pair.half("jax")(*pair.to_framework("jax", inputs))
    Array([...], dtype=float32)
    """
    for pair in PAIRS:
        if str(pair) == name:
            return pair
    if name in topics():
        raise LookupError(f"{name} is a topic: name one of its pairs, such as {pairs_of(name)[0]}")
    raise LookupError(unknown(name))


def unknown(name: str) -> str:
    """The message for a name that is no pair's and no topic's."""
    known = [*map(str, PAIRS), *topics()]
    by_function = [str(pair) for pair in PAIRS if pair.name == str(name).rpartition(".")[2]]
    nearest = by_function or difflib.get_close_matches(str(name), known, n=3)
    hint = f"Did you mean {' or '.join(nearest)}?"
    hint = hint if nearest else "`jaxvstorch list` shows what there is."
    return f"there is no pair or topic {name!r}. {hint}"
