"""Calls of a function in a process of its own, where nothing has been compiled before."""

import importlib
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import with_arrays_mapped
from jaxvstorch._measure.calls import require_finished, require_tuples
from jaxvstorch._measure.packing import packed, unpacked
from jaxvstorch._measure.waiting import arrays_of

Arguments = tuple[Any, ...]

# Imported in the server that every fresh process is forked from. The one server has what the first
# call asked for; a process that needs the other framework imports it itself.
_PRELOAD = {
    "jax": ["jax", "jax.numpy", "jaxvstorch._frameworks.jax"],
    "torch": ["jaxvstorch._measure.fresh_torch", "jaxvstorch._frameworks.torch"],
}


def fresh_calls(
    function: Callable[..., Any] | str,
    *calls: Arguments,
    compiled: bool = True,
    static_argnames: Sequence[str] = (),
    framework: str | None = None,
    after_another: bool = False,
) -> list[float]:
    """Compile a function in a fresh process, call it several times, and time each call.

    The time includes everything that a call does: tracing, lowering, compiling (for PyTorch on a
    CPU, the C++ compiler), running, waiting for the result, and what the framework sets up in each
    process when it first compiles. It does not include importing the framework, starting the
    process, making the arguments, or what PyTorch does once per machine: detecting which vector
    instructions the processor has. No compiled code comes from disk: JAX's persistent cache is off,
    and PyTorch's caches start empty.

    Args:
        function: not yet compiled, and importable by its name: from a module, or from a script
            whose own work is under ``if __name__ == "__main__"``, not from a notebook cell. Or
            ``"package.module:name"``, where a decorator has hidden its name.
        *calls: one tuple of arguments per call, in order.
        compiled: whether to compile it, with ``jax.jit`` or ``torch.compile``.
        static_argnames: the names of the arguments that ``jax.jit`` must treat as static.
        framework: ``"jax"`` or ``"torch"``; needed where no argument is an array of either. NumPy
            arrays become the framework's.
        after_another: compile a small function first, so that no time includes what the framework
            sets up in each process when it first compiles.

    Returns:
        Seconds per call, in the order of ``calls``.

    Raises:
        TypeError: the function cannot be called, is a class to be compiled, or is not importable by
            its name, a call is not a tuple, an argument cannot be sent to another process,
            ``static_argnames`` are not names, or the arguments do not show the framework.
        MissingFrameworkError: the framework is not installed.
        RuntimeError: a call failed; the message says how.
    """
    if isinstance(function, str) and not re.fullmatch(r"[\w.]+:[\w.]+", function):
        raise TypeError(f"function must be callable or 'package.module:name', not {function!r}")
    require_tuples(str if isinstance(function, str) else function, calls)
    if compiled and isinstance(function, type):
        raise TypeError(
            f"function must not be a class: pass a function that uses {function.__name__}"
        )
    framework = framework or _framework_of(calls)
    _frameworks.require(framework, wanted_by="fresh_calls")
    work = packed(function, calls)
    static = _names(static_argnames)
    return _from_fresh_process(framework, _child, work, compiled, static, _x64(), after_another)


def _framework_of(calls: Sequence[Arguments]) -> str:
    found = [name for name in _frameworks.FRAMEWORKS if arrays_of(name, calls)]
    if len(found) != 1:
        held = "both frameworks" if found else "neither framework"
        raise TypeError(
            f"the arguments hold arrays of {held}: pass framework='jax' or framework='torch'"
        )
    return found[0]


def _names(static_argnames: Any) -> tuple[str, ...]:
    """The names as a tuple; a single name needs none, as in ``jax.jit``."""
    single = isinstance(static_argnames, str) or not isinstance(static_argnames, Iterable)
    found = (static_argnames,) if single else tuple(static_argnames)
    if not all(isinstance(name, str) for name in found):
        raise TypeError(f"static_argnames must be a tuple of names, not {static_argnames!r}")
    return found


def _x64() -> bool:
    """Whether JAX's 64-bit types are on here: then they are on in the fresh process too."""
    return "jax" in sys.modules and bool(sys.modules["jax"].config.jax_enable_x64)


def start_server(framework: str) -> None:
    """Start the server that fresh processes are forked from, without waiting for its imports.

    The first ``fresh_calls`` starts it if this function has not.
    """
    _context(framework)
    forkserver.ensure_running()


def set_up_of_server(framework: str) -> float:
    """Seconds that the server took for what the framework does once per machine.

    Waits until the server has done that, and has imported all that its processes need.
    """
    (seconds,) = _from_fresh_process(framework, _say_set_up)
    return seconds


def _context(framework: str) -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD[framework])
    return context


def _from_fresh_process(
    framework: str, target: Callable[..., None], *arguments: Any
) -> list[float]:
    """What ``target`` sends; a string is a message of what went wrong."""
    context = _context(framework)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(sender, framework, *arguments))
    process.start()
    sender.close()
    try:
        answer = receiver.recv()
    except EOFError:
        process.join()
        answer = f"the process ended with exit code {process.exitcode} before it answered"
    process.join()
    if isinstance(answer, str):
        raise RuntimeError(f"in a fresh process: {answer}")
    times: list[float] = answer
    return times


def _say_set_up(sender: Connection, framework: str) -> None:
    if framework == "torch":
        sender.send([importlib.import_module("jaxvstorch._measure.fresh_torch").SECONDS])
    else:
        sender.send([0.0])


def _child(
    sender: Connection,
    framework: str,
    work: bytes,
    compiled: bool,
    static: tuple[str, ...],
    x64: bool,
    after_another: bool,
) -> None:
    try:
        for module in _PRELOAD[framework]:
            importlib.import_module(module)
        with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as empty:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = empty
            if framework == "jax":
                _set_up_jax(x64)
            if after_another:
                _compile_another(framework)
            sender.send(_time_calls(framework, work, compiled, static))
    except Exception as error:
        sender.send(f"{type(error).__name__}: {error}")


def _set_up_jax(x64: bool) -> None:
    config = importlib.import_module("jax").config
    config.update("jax_enable_compilation_cache", False)
    config.update("jax_enable_x64", x64)


def _compile_another(framework: str) -> None:
    adapter = _frameworks.adapter(framework)
    compiled = adapter.compile(lambda x: x * 2 + 1)
    adapter.wait(compiled(*adapter.to_device((adapter.from_numpy(np.ones(2, np.float32)),))))


def _time_calls(
    framework: str, work: bytes, compiled: bool, static: tuple[str, ...]
) -> list[float]:
    adapter = _frameworks.adapter(framework)
    function, calls = unpacked(work)
    calls = [adapter.wait(with_arrays_mapped(adapter.from_numpy, call)) for call in calls]
    if compiled:
        function = adapter.compile(function, static)
    times = []
    for call in calls:
        start = time.perf_counter()
        result = adapter.wait(function(*call))
        times.append(time.perf_counter() - start)
        require_finished("function", result)
    return times
