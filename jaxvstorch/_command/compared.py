"""What ``jaxvstorch diff`` does: it finds both sides, makes modules of classes, and compares."""

import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import torch

from jaxvstorch._command import BadInputError
from jaxvstorch._command.request import check_fit
from jaxvstorch._command.target import Target, load
from jaxvstorch._command.texts import Arguments, Array
from jaxvstorch._command.values import Maker
from jaxvstorch._diff import readers_code
from jaxvstorch._diff.diff import diff
from jaxvstorch._diff.difference import Diff
from jaxvstorch._diff.training.training import diff_training
from jaxvstorch._frameworks.installed import is_installed, is_instrument
from jaxvstorch._frameworks.private.torch import pytree


def compared(
    names: tuple[str, str],
    asked: Arguments,
    seed: int,
    weights: Mapping[str, str],
    *,
    gradient: bool,
    float64: bool,
    steps: int,
) -> Diff:
    """Compare what two names of the command line stand for.

    Args:
        names: such as ``"model.py:Net"``.
        asked: the positional arguments.
        seed: for their numbers, and for the weights of modules that are made.
        weights: names of the second side's weights, each with the first's.
        gradient: whether to compare the backward pass too.
        float64: whether to run in float64 where both can.
        steps: the number of training steps to compare; 0 for a forward pass.

    Raises:
        BadInputError: a name stands for nothing that can be compared, or a side fails, or they do
            not return the same number of arrays.
    """
    inputs, _ = Maker(lambda array: array, seed).call(asked)
    try:
        with _loaded(names, seed) as targets:
            first, second = (_made(target, seed) for target in targets)
            for target, side in zip(targets, (first, second), strict=True):
                if not isinstance(side, tuple):
                    _check(replace(target, function=side), inputs, asked)
            if steps:
                makers = (Maker(lambda array: array, seed + n) for n in range(steps))
                batches = [maker.call(asked)[0] for maker in makers]
                return diff_training(first, second, batches, weights=weights)
            options: dict[str, Any] = {"gradient": gradient, "float64": float64}
            return diff(first, second, inputs, weights=weights, **options)
    except SystemExit as end:
        raise BadInputError(f"a side called sys.exit({end.code!r})") from end
    except BadInputError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if any(frame.filename == readers_code.__file__ for frame in frames):
            message = f"a side raised {_raised(error)}; {_given(asked)}"
        elif is_instrument(frames[-1].filename) and isinstance(error, TypeError | ValueError):
            message = str(error)
        else:
            raise
        raise BadInputError(message) from error


def _check(target: Target, inputs: tuple[Any, ...], asked: Arguments) -> None:
    try:
        check_fit(target, inputs, {})
    except BadInputError as error:
        raise BadInputError(f"{target.text}: {error}; {_given(asked)}") from error


@contextmanager
def _loaded(names: tuple[str, str], seed: int) -> Iterator[tuple[Target, Target]]:
    """Both targets; modules that a file makes at top level are seeded too."""
    before = set(sys.modules)
    torch.manual_seed(seed)
    with load(names[0], any_object=True) as first:
        _forget(_own_modules(before, names))
        torch.manual_seed(seed)
        with load(names[1], any_object=True) as second:
            yield first, second


def _own_modules(before: set[str], names: tuple[str, str]) -> list[str]:
    """What the first file imported from its folder: one of the second's may have the same name."""
    first, second = (Path(name.rpartition(":")[0]).resolve() for name in names)
    if not first.is_file() or second.is_relative_to(first.parent):
        return []
    files = {
        name: getattr(module, "__file__", None)
        for name, module in sys.modules.items()
        if name not in before
    }
    return [
        name
        for name, file in files.items()
        if file and Path(file).is_relative_to(first.parent) and not is_installed(file)
    ]


def _forget(names: list[str]) -> None:
    for name in names:
        del sys.modules[name]


def _made(target: Target, seed: int) -> Any:
    """An instance, if the target is a class that takes no arguments, or ``rngs`` or ``key`` alone.

    Raises:
        BadInputError: it takes others, or fails.
    """
    made = target.function
    if not inspect.isclass(made):
        return made
    _, *parameters = inspect.signature(made.__init__).parameters.values()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = {p.name for p in parameters if p.default is p.empty and p.kind not in variable}
    if needed - {"rngs", "key"}:
        raise BadInputError(
            f"{target.text} is a class that needs {', '.join(sorted(needed))}: make an instance at "
            "the top level of the file, and name that"
        )
    torch.manual_seed(seed)
    try:
        return made(**{name: _random(name, seed) for name in needed})
    except Exception as error:
        raise BadInputError(f"{target.text} cannot be made: {_raised(error)}") from error


def _random(name: str, seed: int) -> Any:
    if name == "key":
        return jax.random.key(seed)
    from flax import nnx

    return nnx.Rngs(seed)


def _raised(error: Exception) -> str:
    """An error in one line, with the reader's innermost line."""
    frames = traceback.extract_tb(error.__traceback__)
    readers = [frame for frame in frames if readers_code.is_readers(frame.filename)]
    where = ""
    if readers:
        where = f" ({Path(readers[-1].filename).name}, line {readers[-1].lineno})"
    return f"{type(error).__name__}: {' '.join(str(error).split())}{where}"


def _given(asked: Arguments) -> str:
    """The arguments of both sides, in the command's words."""
    if not asked.args:
        return "no arguments were given: --arg gives one"

    def written(value: Any) -> Any:
        shape = f"{value.dtype}{list(value.shape)}" if isinstance(value, Array) else None
        return shape or repr(value)

    leaves = pytree.tree_leaves(asked.args)
    return f"both sides take what --arg gives: {', '.join(map(written, leaves))}"
