"""What ``jaxvstorch explain --framework both`` does: one function through both compilers."""

from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._command.request import Request, check_fit
from jaxvstorch._command.target import Target
from jaxvstorch._command.texts import Array, parse_arguments
from jaxvstorch._command.values import Maker
from jaxvstorch._explain.both import BothExplanations, both
from jaxvstorch._explain.framework_of import belongs_to
from jaxvstorch._frameworks.private import torch as private


def explained(target: Target, request: Request) -> BothExplanations:
    """What both compilers make of a target.

    Raises:
        BadInputError: the target is one framework's, or an option is about one framework, or the
            arguments cannot be read, or do not fit.
        MissingFrameworkError: one of the frameworks is not installed.
    """
    _refuse_options(request)
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by=f"{target.text} with --framework both")
        _frameworks.adapter(name)
    if owner := belongs_to(target.function):
        raise BadInputError(
            f"{target.text} is written for {_frameworks.TITLES[owner]}, but --framework both needs "
            f"a function that names no framework: use --framework {owner}"
        )
    asked = parse_arguments(list(request.arguments))
    args, kwargs = Maker(_in_each, request.seed).call(asked)
    check_fit(target, args, kwargs)
    if not any(isinstance(leaf, Array) for leaf in private.pytree.tree_leaves(vars(asked))):
        raise BadInputError("--framework both needs an array: give one, such as --arg 'f32[8]'")
    try:
        return both(target.function, args, kwargs)
    except TypeError as error:  # raised for what cannot be explained, such as a generator
        raise BadInputError(str(error)) from error


def _refuse_options(request: Request) -> None:
    given = {
        "--call": request.calls,
        "--static": request.static,
        "--stages": request.stages,
    }
    for option, value in given.items():
        if value:
            raise BadInputError(
                f"{option} works with one framework: use --framework jax or torch, not both"
            )


def _in_each(array: Any) -> Any:
    """The same NumPy array, if each framework has its like."""
    for name in _frameworks.FRAMEWORKS:
        _frameworks.adapter(name).from_numpy(array)
    return array
