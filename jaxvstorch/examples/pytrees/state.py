"""What an optimizer keeps between steps: a container of trees, which both frameworks know."""

from typing import Any, NamedTuple


class Moments(NamedTuple):
    """Running averages of the gradients and of their squares, and how many steps they hold."""

    mean: Any
    square: Any
    count: Any
