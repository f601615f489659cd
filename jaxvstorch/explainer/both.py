"""One function through both compilers: its lines once, and beside each what either made of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxvstorch import frameworks
from jaxvstorch.explainer.explanation import Explanation
from jaxvstorch.explainer.framework_of import belongs_to
from jaxvstorch.explainer.kept_output import kept_output
from jaxvstorch.explainer.own_lines import own_sources
from jaxvstorch.explainer.python.unwrap import attribute
from jaxvstorch.explainer.rendering import html_both, text_both
from jaxvstorch.explainer.rendering.printed import Printed
from jaxvstorch.explainer.taking_turns import LOCK
from jaxvstorch.frameworks.private import torch as private
from jaxvstorch.measure.waiting import arrays_of

SCHEMA = "jaxvstorch-both"
VERSION = 1


@dataclass(frozen=True, repr=False)
class Both:
    """What both compilers made of one function.

    Printed, it is a table for a terminal; in a notebook it is HTML. It shows the function's own
    lines; what else is known, such as the lines of functions that it calls, the two explanations
    hold.

    Attributes:
        jax: what JAX made of it.
        torch: what PyTorch made of it.
        printed: what the function printed meanwhile, by ``"jax"`` and ``"torch"``.
    """

    jax: Explanation
    torch: Explanation
    printed: Mapping[str, str]

    @property
    def explanations(self) -> tuple[Explanation, Explanation]:
        """JAX's, and PyTorch's."""
        return self.jax, self.torch

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, texts and numbers."""
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


def both(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Both:
    """Show what ``jax.jit`` and what ``torch.compile`` make of one function, line by line.

    The function runs once for each, as ``explain`` says; what it prints is kept apart.

    Args:
        function: names no framework, and uses what arrays and tensors share: operators, methods
            such as ``x.sum()``, indexing.
        *args: what to call it with. NumPy arrays, in containers too, each framework gets as its
            own; all else it gets as it is.
        **kwargs: more arguments, by name.

    Raises:
        TypeError: the function belongs to one framework, or ``explain`` does not take it, or none
            of its lines can be shown; or no argument holds a NumPy array, or the arguments are one
            framework's, or hold an iterator, or do not fit.
        MissingFrameworkError: one of the frameworks is not installed.
    """
    # explain.both is an attribute of what is imported here.
    from jaxvstorch.explainer.explain import explain

    for name in frameworks.FRAMEWORKS:
        frameworks.require(name, wanted_by="explain.both")
    _check(function, kwargs)
    _check_arguments((args, kwargs))
    explanations, printed = {}, {}
    for name in frameworks.FRAMEWORKS:
        here, named = _arrays_in(name, (args, kwargs))
        with LOCK, kept_output() as output:
            explanations[name] = explain(function, *here, framework=name, **named)
        printed[name] = "".join(output)
    own_sources(tuple(explanations.values()))
    return Both(**explanations, printed=printed)


def _check(function: Any, kwargs: dict[str, Any]) -> None:
    if "framework" in kwargs:
        raise TypeError(
            "explain.both gives the function to both frameworks: leave framework= out, and give a "
            "parameter of that name by position"
        )
    owner = belongs_to(function)
    if owner is not None:
        name, title = attribute(function, "__name__") or function, frameworks.TITLES[owner]
        raise TypeError(
            f"{name!r} is written for {title}, and explain.both shows a function that names no "
            f"framework: use operators and methods alone, or call explain with {title}'s arrays"
        )


def _check_arguments(given: Any) -> None:
    leaves = _leaves(given)
    if used_up := [leaf for leaf in leaves if isinstance(leaf, Iterator)]:
        raise TypeError(
            f"an argument is an iterator ({type(used_up[0]).__name__}), which one framework would "
            "use up before the other: give a list"
        )
    for name in frameworks.FRAMEWORKS:
        if arrays_of(name, given):
            raise TypeError(
                f"the arguments hold {frameworks.TITLES[name]}'s arrays: give NumPy arrays, which "
                "each framework then gets as its own"
            )
    if not any(isinstance(leaf, np.ndarray | np.generic) for leaf in leaves):
        raise TypeError(
            "no argument holds an array, and of Python's numbers there is nothing to compile: give "
            "a NumPy array, such as np.float32([3, 4])"
        )


def _leaves(value: Any) -> list[Any]:
    try:
        leaves: list[Any] = private.pytree.tree_leaves(value)
    except RecursionError as error:
        raise TypeError("an argument holds itself, or is nested too deeply") from error
    return leaves


def _arrays_in(framework: str, value: Any) -> Any:
    """The same with NumPy's arrays as those of a framework."""
    take = frameworks.adapter(framework).from_numpy
    return private.pytree.tree_map_only((np.ndarray, np.generic), take, value)
