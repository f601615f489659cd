"""``jaxvstorch.port`` and ``jaxvstorch.replaying``: reports on code in Python or a notebook."""

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, SupportsIndex

from jaxvstorch import _frameworks
from jaxvstorch._explain.python.unwrap import original
from jaxvstorch._explain.subject import kind_of_deferred, name_of
from jaxvstorch._frameworks.importing import importing
from jaxvstorch._port import LIMIT, STYLES, missing_for
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location


def port(
    function: Callable[..., Any],
    /,
    *args: Any,
    framework: str | None = None,
    limit: int = LIMIT,
    write: str | Path | None = None,
    style: str = "nnx",
    **kwargs: Any,
) -> PortReport:
    """Call a function, repeat its operations in the other framework, and report line by line.

    A PyTorch function runs, and ``port`` repeats each of its PyTorch calls in JAX. A JAX function
    is traced; then each operation of its jaxpr runs in JAX and in PyTorch.

    Args:
        function: of either framework; a ``torch.nn.Module`` too.
        args: its arguments. Arrays are traced for a JAX function; all else stays as it is.
        framework: ``"torch"`` or ``"jax"``, where neither the arguments nor the function show it.
        limit: how many to repeat: calls of one function on one line, or runs of one operation or
            steps of one loop of a jaxpr.
        write: where to write a draft of a ``torch.nn.Module`` in JAX: its classes, and the
            functions that they call, also those of an installed library, with only what this call
            ran. The module is made again with the arguments that it keeps as attributes; where
            it keeps them not, pass a function that makes the module and calls it.
        style: of the draft: ``"nnx"``, ``"equinox"`` or ``"functions"``.
        kwargs: its keyword arguments.

    Returns:
        The report; print it, or let a notebook show it.

    Raises:
        OSError: the draft cannot be written, or the file holds something else.
        TypeError: ``function`` cannot be called, or runs none of its lines when it is called; or an
            argument holds itself; or ``limit`` is not a whole number; or ``write`` is given and no
            module of PyTorch is called.
        ValueError: ``limit`` is not positive, ``style`` is none of these or cannot write the model,
            the function's file has changed since it was imported, the framework is not clear, or
            ``framework`` is neither of the two, or not that of the function and the arguments; or
            ``write`` is given and it is not known what the module was made with.
        ModuleNotFoundError: Equinox is not installed, and the draft should be in its style.
        MissingFrameworkError: one of the frameworks is not installed.
        BrokenInstallError: flax, optax or another library is missing or broken.

    >>> import torch
    >>> def share(x):
    ...     return x / x.sum(dim=-1, keepdim=True)
    >>> report = port(share, torch.ones(2, 3))
    >>> report.counts()
    {'verified': 2}
    """
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by="port")
    if framework is not None:
        _frameworks.require(framework, wanted_by="port")
    if not callable(function):
        raise TypeError(f"port needs something to call, not {type(function).__name__}")
    if kind := kind_of_deferred(original(function)):
        name = name_of(function, original(function))
        raise TypeError(
            f"{name} is {kind}, whose lines do not run when it is called: port what it calls"
        )
    _check_limit(limit)
    if style not in STYLES:
        raise ValueError(f"style={style!r}: expected one of {', '.join(STYLES)}")
    if missing := missing_for(style):
        raise ModuleNotFoundError(f"style={style!r}: {missing}")
    if _has_changed(original(function)):
        raise ValueError("the function's file has changed since it was imported: import it again")
    if _framework(function, args, kwargs, framework) == "jax":
        frame = sys._getframe(1)
        location = Location(frame.f_code.co_filename, frame.f_lineno)
        return _from_jax(function, args, kwargs, limit, location)
    if write is not None:
        return _drafted(function, args, kwargs, limit, Path(write), style)
    with replaying(limit=limit) as report:
        function(*args, **kwargs)
    return report


def _drafted(
    function: Any, args: Any, kwargs: dict[str, Any], limit: int, path: Path, style: str
) -> PortReport:
    with importing("port"):
        from jaxvstorch._port.library.drafting import draft

        if style == "equinox":
            from jaxvstorch._port.draft.styles import equinox_models  # noqa: F401 - it needs equinox

    return draft(function, args, kwargs, path, limit, style)


@contextmanager
def replaying(*, limit: int = LIMIT) -> Iterator[PortReport]:
    """Repeat each PyTorch call of the block in JAX; yields the report, which fills as it runs.

    Args:
        limit: how many calls of one function on one line to repeat.

    Raises:
        TypeError: ``limit`` is not a whole number.
        ValueError: ``limit`` is not positive.
        MissingFrameworkError: one of the frameworks is not installed.
        BrokenInstallError: flax, optax or another library is missing or broken.
    """
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by="replaying")
    _check_limit(limit)
    with importing("replaying"):
        from jaxvstorch._port.replay import Replay

    replay = Replay(limit)
    with replay:
        yield replay.report


def _has_changed(function: Any) -> bool:
    """Whether the file of an imported module holds another code for a function than it runs."""
    code = getattr(function, "__code__", None)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    spec = getattr(module, "__spec__", None)
    # Other loaders, such as pytest's, compile something else than the file.
    if code is None or spec is None or type(spec.loader) is not SourceFileLoader:
        return False
    try:
        whole = compile(
            Path(code.co_filename).read_bytes(), code.co_filename, "exec", dont_inherit=True
        )
    except (OSError, SyntaxError, ValueError):
        return False
    return code not in _codes(whole)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _check_limit(limit: Any) -> None:
    if isinstance(limit, bool) or not isinstance(limit, SupportsIndex):
        raise TypeError(f"limit must be a whole number, not {limit!r}")
    if operator.index(limit) < 1:
        raise ValueError(f"limit must be positive, but is {limit}")


def _framework(function: Callable[..., Any], args: Any, kwargs: Any, asked_for: str | None) -> str:
    """The framework that is asked for, or that the arguments show, or the names in the code."""
    from jaxvstorch._explain.framework_of import framework_by_itself, named

    seen, own = _frameworks_of((args, kwargs, function)), framework_by_itself(function)
    if asked_for is not None:
        known = {own} if own else seen
        if known and asked_for not in known:
            what = "function is" if own else "arguments are"
            other = _frameworks.TITLES[known.pop()]
            raise ValueError(f"framework={asked_for!r}, but the {what} {other}'s")
        return asked_for
    if own:
        seen.add(own)
    if len(seen) > 1:
        raise ValueError("the function and its arguments are of both frameworks: pass those of one")
    seen = seen or named((function,), getattr(function, "__globals__", {}))
    if len(seen) == 1:
        return seen.pop()
    raise ValueError("pass framework='torch' or framework='jax': the arguments do not show which")


def _frameworks_of(values: Any) -> set[str]:
    """The frameworks whose arrays and modules the values hold."""
    import jax
    import torch

    from jaxvstorch._frameworks.private.torch import pytree

    try:
        leaves = [*pytree.tree_leaves(values), *jax.tree.leaves(values)]
    except (RecursionError, SystemError) as error:
        raise TypeError("an argument holds itself, or is nested too deeply") from error
    torch_seen = any(isinstance(leaf, torch.Tensor | torch.nn.Module) for leaf in leaves)
    jax_seen = any(isinstance(leaf, jax.Array) for leaf in leaves)
    return {name for name, is_seen in (("torch", torch_seen), ("jax", jax_seen)) if is_seen}


def _from_jax(
    function: Callable[..., Any], args: Any, kwargs: Any, limit: int, location: Location
) -> PortReport:
    with importing("port"):
        from jaxvstorch._port.from_jax.interpreter import Interpreter
        from jaxvstorch._port.from_jax.tracing import trace

    closed, arrays, unmarked = trace(function, args, kwargs, location)
    interpreter = Interpreter(limit, location)
    interpreter.report.notes += [unmarked] if unmarked else []
    interpreter.run(closed, arrays)
    return interpreter.report
