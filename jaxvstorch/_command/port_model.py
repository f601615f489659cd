"""``jaxvstorch port -m PACKAGE:MODEL``: a model of an installed library, with inputs."""

import ast
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._command.target import Target, load
from jaxvstorch._command.texts import parse_arguments
from jaxvstorch._command.values import Maker
from jaxvstorch._frameworks.importing import importing

if TYPE_CHECKING:
    from jaxvstorch._port.library.configuring import Asked
    from jaxvstorch._port.report import PortReport


def port_model(
    name: str,
    config: list[str],
    arguments: list[str],
    limit: int,
    write: Path | None,
    style: str = "nnx",
) -> "PortReport":
    """Make a model, call it, and report on the call.

    Args:
        name: such as ``transformers:ViTModel``.
        config: what ``--config`` gives.
        arguments: what ``--arg`` gives; none to make the inputs that the model says it takes.
        limit: how many calls of one function on one line are repeated.
        write: where to write a draft.
        style: of the draft.

    Raises:
        BadInputError: there is no such model, or it cannot be made, called or drafted.
        MissingFrameworkError: one of the frameworks is not installed.
        BrokenInstallError: flax, optax or another library is missing or broken.
    """
    asked = [_settings(text) for text in config]
    given = parse_arguments(arguments)
    for framework in _frameworks.FRAMEWORKS:
        _frameworks.require(framework, wanted_by="jaxvstorch port")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    with importing("port"):
        import torch

        from jaxvstorch._port.api import port
        from jaxvstorch._port.library.configuring import inputs, made
    with _found(name) as target:
        if not callable(target.function):
            raise BadInputError(f"{name} is no class of modules, and no function that makes one")
        try:
            making = made(target.function, asked)
            args, kwargs = Maker(torch.from_numpy, 0).call(given)
            if not arguments:
                kwargs = inputs(making.build(), making.settings)
            report = port(
                lambda *args, **kwargs: making.build()(*args, **kwargs),
                *args, framework="torch", limit=limit, write=write, style=style,
                **kwargs,
            )  # fmt: skip
        except OSError as error:
            raise BadInputError(f"--write {write}: {error.strerror or error}") from error
        except Exception as error:
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            raise BadInputError(f"{name}: {kind}{' '.join(str(error).split())}") from error
    settings = ", ".join(f"{name}={value!r}" for name, value in making.settings.items())
    shapes = [*map(_shape, args), *(f"{name}={_shape(value)}" for name, value in kwargs.items())]
    others = "all else as by default" if settings else "as by default"
    report.notes[:0] = [
        f"{name} was made by {making.of}({settings}), {others}; its weights are drawn.",
        f"It was called with {', '.join(shapes)}.",
    ]
    return report


@contextmanager
def _found(name: str) -> Iterator[Target]:
    """What a name stands for in a package, or in its ``models``, as timm and torchvision have."""
    package, _, model = name.rpartition(":")
    with ExitStack() as stack:
        try:
            target = stack.enter_context(load(name, any_object=True))
        except BadInputError as error:
            try:
                target = stack.enter_context(load(f"{package}.models:{model}", any_object=True))
            except BadInputError:
                raise error from None
        yield target


def _settings(text: str) -> "Asked":
    """``tiny``, the setting of ``KEY=VALUE``, or those of a file.

    Raises:
        BadInputError: it is none of these, or the file cannot be read.
    """
    if text == "tiny":
        return text
    name, equals, value = text.partition("=")
    if equals and name.isidentifier():
        try:
            return name, ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return name, value
    if not text.endswith(".json"):
        raise BadInputError(f"--config {text!r}: expected tiny, FILE.json or KEY=VALUE")
    try:
        settings = json.loads(Path(text).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInputError(f"--config {text}: there is no such file") from None
    except OSError as error:
        raise BadInputError(f"--config {text} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInputError(f"--config {text} is not JSON: {error}") from error
    if not isinstance(settings, dict):
        raise BadInputError(f"--config {text} holds no settings by name")
    return settings


def _shape(value: Any) -> str:
    """A value as ``--arg`` takes it."""
    shape = getattr(value, "shape", None)
    if shape is None:
        return repr(value)
    return f"{str(value.dtype).removeprefix('torch.')}[{','.join(map(str, shape))}]"
