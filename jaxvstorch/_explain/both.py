"""Explains one function in both frameworks, line beside line."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._explain import LOCK
from jaxvstorch._explain.captured_output import captured_output
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.framework_of import BOTH, belongs_to
from jaxvstorch._explain.one_framework import explain_in
from jaxvstorch._explain.python.unwrap import attribute
from jaxvstorch._explain.rendering import html_both, text_both
from jaxvstorch._explain.rendering.side_by_side import shared_sources
from jaxvstorch._explain.rendering.text_rows import Printed
from jaxvstorch._frameworks.private import torch as private
from jaxvstorch._measure.waiting import arrays_of
from jaxvstorch._parity.refusals import require_unmasked

SCHEMA = "jaxvstorch-both"
VERSION = 1


@dataclass(frozen=True, repr=False)
class BothExplanations:
    """What both compilers made of one function.

    Printed, it is a table for a terminal; in a notebook it is HTML. It shows the function's own
    lines; the two explanations hold the rest, such as the lines of functions that it calls.

    Attributes:
        jax: what JAX made of it.
        torch: what PyTorch made of it.
        printed: what the function printed while it was traced, by ``"jax"`` and ``"torch"``.
    """

    jax: Explanation
    torch: Explanation
    printed: Mapping[str, str]

    @property
    def explanations(self) -> tuple[Explanation, Explanation]:
        """JAX's, and PyTorch's."""
        return self.jax, self.torch

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, strings and numbers."""
        return {
            "schema": {"name": SCHEMA, "version": VERSION},
            "printed": dict(self.printed),
            "jax": self.jax.to_dict(),
            "torch": self.torch.to_dict(),
        }

    def __str__(self) -> str:
        return str(self.__rich__())

    __repr__ = __str__

    def __rich__(self) -> Printed:
        return text_both.printed(self.explanations, self.printed)

    def _repr_html_(self) -> str:
        return html_both.fragment(self.explanations, self.printed)


def both(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> BothExplanations:
    """What ``explain`` does with ``framework="both"``; a keyword argument may have any name.

    Args:
        function: what ``explain`` takes.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by=f"explain with framework={BOTH!r}")
        _frameworks.adapter(name)
    _check(function)
    _check_arguments((args, kwargs))
    explanations, printed = {}, {}
    for name in _frameworks.FRAMEWORKS:
        here, named = _arrays_in(name, (args, kwargs))
        with LOCK, captured_output() as output:
            explanations[name] = explain_in(name, function, here, named)
        printed[name] = "".join(output)
    shared_sources(tuple(explanations.values()))
    return BothExplanations(**explanations, printed=printed)


def _check(function: Any) -> None:
    owner = belongs_to(function)
    if owner is not None:
        name, title = attribute(function, "__name__") or function, _frameworks.TITLES[owner]
        raise TypeError(
            f"{name!r} is written for {title}, but framework={BOTH!r} needs a function that names "
            f"no framework: use only operators and methods, or pass framework={owner!r} and "
            f"{title}'s arrays"
        )


def _check_arguments(given: Any) -> None:
    leaves = _leaves(given)
    if used_up := [leaf for leaf in leaves if isinstance(leaf, Iterator)]:
        raise TypeError(
            f"an argument is an iterator ({type(used_up[0]).__name__}), which one framework would "
            "use up before the other: pass a list"
        )
    for leaf in leaves:
        require_unmasked("an argument", leaf)
    for name in _frameworks.FRAMEWORKS:
        if arrays_of(name, given):
            raise TypeError(
                f"the arguments hold {_frameworks.TITLES[name]}'s arrays: pass NumPy arrays, which "
                "each framework then gets as its own"
            )
    if not any(isinstance(leaf, np.ndarray | np.generic) for leaf in leaves):
        raise TypeError(
            "no argument holds an array, and Python numbers alone leave nothing to compile: pass "
            "a NumPy array, such as np.float32([3, 4])"
        )


def _leaves(value: Any) -> list[Any]:
    try:
        leaves: list[Any] = private.pytree.tree_leaves(value)
    except RecursionError as error:
        raise TypeError("an argument holds itself, or is nested too deeply") from error
    return leaves


def _arrays_in(framework: str, value: Any) -> Any:
    """The value with its NumPy arrays turned into a framework's arrays."""
    take = _frameworks.adapter(framework).from_numpy
    return private.pytree.tree_map_only((np.ndarray, np.generic), take, value)
