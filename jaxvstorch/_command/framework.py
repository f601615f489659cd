"""Which framework the function of a command line is written for."""

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._command.target import Target
from jaxvstorch._explain.framework_of import compiled_by, named


def framework_of(target: Target, given: str | None, values: Iterable[Any] = ()) -> str:
    """``"jax"`` or ``"torch"``: as given, else what the function uses, else what its module uses.

    Args:
        target: the function, and its module.
        given: with ``--framework``.
        values: of static arguments; functions among them count like the function itself.

    Raises:
        BadInputError: they use neither framework, or both, or ``given`` is wrong.
        MissingFrameworkError: it is not installed.
    """
    compiled = compiled_by(target.function)
    if given is not None and given not in _frameworks.FRAMEWORKS:
        raise BadInputError(f"--framework must be jax, torch or both, not {given!r}")
    if given is not None and compiled is not None and given != compiled:
        compiler = _frameworks.COMPILERS[compiled]
        raise BadInputError(
            f"--framework {given} contradicts {target.text}, which {compiler} compiled"
        )
    framework = given or compiled or _told(target, values)
    _frameworks.require(framework, wanted_by=target.text)
    return framework


def _told(target: Target, values: Iterable[Any]) -> str:
    seen = named((target.function, *values), vars(target.module))
    if len(seen) == 1:
        return seen.pop()
    installed = [name for name in _frameworks.FRAMEWORKS if find_spec(name)]
    if not seen and len(installed) == 1:
        return installed[0]
    there = "uses both frameworks" if seen else "names neither framework"
    raise BadInputError(f"{target.text} {there}: say --framework jax, torch or both")
