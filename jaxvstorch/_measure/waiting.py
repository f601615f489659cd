"""What makes a timing fair: waiting for the result, and a thread whose call stack is short."""

import _thread
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from jaxvstorch._measure.calls import require_finished

T = TypeVar("T")
Function = Callable[..., Any]
Arguments = tuple[Any, ...]


def one_pass(
    function: Function, inputs: Sequence[Arguments], kwargs: Mapping[str, Any] | None = None
) -> Callable[[], None]:
    """What is timed: one call per argument tuple, each finished before the next begins.

    The keyword arguments are those of each call.

    This calls the function once, to see what has to be waited for.

    Raises:
        TypeError: the function takes JAX arrays and returns nothing that could be waited for, it
            is a generator or ``async``, or the tuples have different lengths.
    """
    if len({len(args) for args in inputs}) > 1:
        raise TypeError("every call must have the same number of arguments")
    kwargs = kwargs or {}
    result = function(*inputs[0], **kwargs)
    require_finished("function", result)
    wait = _waiter(result, (*inputs[0], *kwargs.values()))
    names = "".join(f"a{i}, " for i in range(len(inputs[0])))
    keywords = "".join(f"{name}=k{i}, " for i, name in enumerate(kwargs))
    call = f"function({names}{keywords})"
    call = call if wait is None else f"wait({call})"
    # Written out, as timeit does it: `function(*args)` costs a Python function 0.1 µs more.
    source = f"def run():\n    for {names or '_'} in inputs:\n        {call}"
    namespace = {"function": function, "inputs": inputs, "wait": wait}
    namespace |= {f"k{i}": value for i, value in enumerate(kwargs.values())}
    exec(source, namespace)
    # Remove the cycle, so that the inputs are freed at once and not by the garbage collector.
    run: Callable[[], None] = namespace.pop("run")  # type: ignore[assignment]
    return run


def _waiter(result: Any, args: Arguments) -> Callable[[Any], Any] | None:
    """What waits for results like this one; ``None`` if such results are finished already."""
    import jaxvstorch._frameworks as frameworks

    if arrays_of("jax", result):
        single = isinstance(result, sys.modules["jax"].Array)
        # The method alone costs a quarter of what waiting for a whole pytree does.
        wait: Callable[[Any], Any] = (
            type(result).block_until_ready if single else frameworks.adapter("jax").wait
        )
        return wait
    if any(tensor.is_cuda for tensor in arrays_of("torch", (result, args))):
        synchronize: Callable[[Any], Any] = frameworks.adapter("torch").wait
        return synchronize
    if result is None and arrays_of("jax", args):
        raise TypeError(
            "function accepts JAX arrays and returns None, so there is nothing to wait for and "
            "its time cannot be measured: return what it computes"
        )
    return None


def arrays_of(framework: str, value: Any) -> list[Any]:
    """The arrays of one framework anywhere in ``value``; none where it was never imported."""
    from jaxvstorch._frameworks.private import torch as private  # which imports no framework

    module = sys.modules.get(framework)
    if module is None:
        return []
    is_jax = framework == "jax"
    leaves_of, kind = (
        (module.tree.leaves, module.Array)
        if is_jax
        else (private.pytree.tree_leaves, module.Tensor)
    )
    try:
        leaves = leaves_of(value)
    # JAX's would lose the first in the second, and cannot sort keys such as 1 and "a".
    except (RecursionError, SystemError, ValueError):
        leaves = _leaves_of_endless(value)
    return [leaf for leaf in leaves if isinstance(leaf, kind)]


def _leaves_of_endless(value: Any) -> list[Any]:
    """What lists, tuples and dicts hold, even if they hold themselves or thousands of others."""
    leaves, rest, seen = [], [value], set()
    while rest:
        item = rest.pop()
        if not isinstance(item, list | tuple | dict):
            leaves.append(item)
        elif id(item) not in seen:
            seen.add(id(item))
            rest += item.values() if isinstance(item, dict) else item
    return leaves


def in_fair_thread(work: Callable[[], T], with_torch: bool) -> T:
    """Run ``work`` in the thread that is fair to its framework, and return its result.

    For JAX that is a new thread, where Python's call stack is short, because JAX collects the stack
    on each call: a frame adds some 0.3 % to a call of 5 µs (jax 0.10.2, 2 cores, 2026-11-22).

    For PyTorch it is the caller's thread. Each thread that computes in parallel has OpenMP threads
    of its own, and if there are more of them than cores, GNU's OpenMP lets them sleep between
    calls: in a second such thread, sin + cos of 30,000 numbers took 160 to 175 µs instead of 80 to
    95 (torch 2.13.0, 2 cores, 2026-11-22).
    """
    return work() if with_torch else in_new_thread(work)


def in_new_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a new thread, and return its result; Ctrl-C takes effect when it has ended.

    The new thread's call stack is as short as can be: an executor would start with five frames,
    and ``threading`` with three.
    """
    outcomes: list[tuple[Any, BaseException | None]] = []
    ended = threading.Event()

    def report() -> None:
        try:
            outcomes.append((work(), None))
        except BaseException as error:
            outcomes.append((None, error))
        ended.set()

    try:
        _thread.start_new_thread(report, ())
        ended.wait()
    except KeyboardInterrupt:
        # The work still runs, and would disturb what comes next. Or it has ended just now, so this
        # must be something that can be waited for twice.
        ended.wait()
        raise
    ((result, error),) = outcomes
    if error is not None:
        raise error
    return cast(T, result)


def thread_settings() -> dict[str, Any]:
    """Settings that a ``with`` statement makes for one thread only."""
    settings = {}
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        settings["torch.is_grad_enabled()"] = torch.is_grad_enabled()
        settings["torch.is_inference_mode_enabled()"] = torch.is_inference_mode_enabled()
    if "jax" in sys.modules:
        config = sys.modules["jax"].config
        for name in ("jax_enable_x64", "jax_disable_jit", "jax_default_matmul_precision"):
            settings[name] = getattr(config, name)
    return settings


def require_same_settings(outside: dict[str, Any]) -> None:
    """Check in a fresh thread that no setting made outside was lost.

    Raises:
        RuntimeError: a setting differs here.
    """
    inside = thread_settings()
    for name, value in outside.items():
        if inside[name] != value:
            raise RuntimeError(
                f"{name} is {value} here and {inside[name]} in the thread that times the function: "
                "a `with` statement sets it for one thread only. Put the `with` inside the "
                "function to time, or change the setting for the whole process."
            )
