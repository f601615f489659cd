"""What ``jaxvstorch explain`` does: it turns options into calls, and explains and records them."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._command.target import Target
from jaxvstorch._command.texts import Arguments, parse_arguments, parse_call
from jaxvstorch._command.values import Maker, static_values
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.framework_of import compiled_by, named
from jaxvstorch._explain.ledger import record
from jaxvstorch._explain.ledger_rows import Ledger
from jaxvstorch._explain.one_framework import explain_in
from jaxvstorch._explain.subject import by_name

Call = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Request:
    """The options, as they were given."""

    arguments: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    framework: str | None = None
    seed: int = 0
    stages: bool = False


@dataclass(frozen=True)
class Prepared:
    """What a request calls, read and checked: the function, and the arguments of each call."""

    function: Callable[..., Any]
    framework: str
    calls: Callable[[], list[Call]]
    """Makes new arguments each time: a call may change its arguments, or donate them."""


def prepare(target: Target, request: Request) -> Prepared:
    """Read what a request says about a target.

    Raises:
        BadInputError: it cannot be read, or is contradictory, or does not fit the function.
        MissingFrameworkError: the framework is not installed.
    """
    texts = _calls(request)
    static = static_values(list(request.static), target.module)
    for call in texts:
        _refuse_twice(call, static)
    framework = framework_of(target, request.framework, static.values())
    adapter = _frameworks.adapter(framework)

    def calls() -> list[Call]:
        maker = Maker(adapter.from_numpy, request.seed)
        made = map(maker.call, texts)
        return [(args, kwargs | static) for args, kwargs in made]

    for args, kwargs in calls():
        check_fit(target, args, kwargs)
    function = target.function
    if static and framework == "jax":
        function = _with_static(target, static)
    return Prepared(function, framework, calls)


def _calls(request: Request) -> list[Arguments]:
    if request.calls and request.arguments:
        raise BadInputError(
            "--arg and --call cannot be combined: give each --call all of its arguments"
        )
    if request.calls:
        return [parse_call(text) for text in request.calls]
    return [parse_arguments(list(request.arguments))]


def _refuse_twice(call: Arguments, static: dict[str, Any]) -> None:
    for name in (call.kwargs or {}).keys() & static.keys():
        raise BadInputError(f"{name} is given twice: as an argument, and with --static")


def check_fit(target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Wrong arguments end here, before anything is traced.

    Raises:
        BadInputError: the target does not take them.
    """
    try:
        by_name(target.function, args, kwargs)
    except TypeError as error:
        raise BadInputError(f"TypeError: {error}") from error


def _with_static(target: Target, static: dict[str, Any]) -> Callable[..., Any]:
    """The function under ``jax.jit``, told which arguments are static."""
    for name, value in static.items():
        try:
            hash(value)
        except TypeError as error:
            raise BadInputError(
                f"--static {name}: {value!r} cannot be hashed, but JAX hashes static values: "
                "give a tuple"
            ) from error
    if compiled_by(target.function) is None:
        adapter = _frameworks.adapter("jax")
        jitted: Callable[..., Any] = adapter.compile(target.function, tuple(static))
        return jitted
    from jaxvstorch._explain.jax import traces

    names = traces.static_names(target.function)  # where they are hidden, JAX decides itself
    traced = [] if names is None else [name for name in static if name not in names]
    if traced:
        raise BadInputError(
            f"--static {traced[0]}: {target.text} is already compiled, and its own jax.jit "
            f"does not make {traced[0]} static: give it with --arg {traced[0]}=…"
        )
    function: Callable[..., Any] = target.function
    return function


def explained(prepared: Prepared, stages: bool) -> Explanation:
    """The explanation of the first call."""
    try:
        explanation = explain_in(prepared.framework, prepared.function, *prepared.calls()[0])
    except TypeError as error:  # raised for what explain does not take, such as a generator
        raise BadInputError(str(error)) from error
    return explanation.with_stages() if stages else explanation


def recorded(prepared: Prepared) -> Ledger:
    """The ledger over all calls."""
    recorded = record(prepared.function, prepared.calls(), prepared.framework)
    if prepared.framework == "jax":
        import jax

        # Wait for what jax.debug.print prints; nobody can handle an error that comes this late.
        with suppress(Exception):
            jax.effects_barrier()
    return recorded


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
    framework = given or compiled or _named(target, values)
    _frameworks.require(framework, wanted_by=target.text)
    return framework


def _named(target: Target, values: Iterable[Any]) -> str:
    seen = named((target.function, *values), vars(target.module))
    if len(seen) == 1:
        return seen.pop()
    installed = [name for name in _frameworks.FRAMEWORKS if find_spec(name)]
    if not seen and len(installed) == 1:
        return installed[0]
    there = "uses both frameworks" if seen else "names neither framework"
    raise BadInputError(f"{target.text} {there}: use --framework jax, torch or both")
