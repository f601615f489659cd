"""Where memory is the limit: a fresh output on each call, none, and a plain copy."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import Case, Work, cache_size, calling, compiled, rotated
from benchmarks.machine import largest_size
from jaxvstorch import _frameworks

TOPIC = "memory"
SIZE = 20_000_000  # 80 MB of float32: more than a processor's cache holds
_ITEM = 4  # bytes of a float32


def scale(x: Any) -> Any:
    """One read and one write per element; written the same in both frameworks."""
    return 0.5 * x + 1.0


def cases(framework: str, quick: bool, gpu_memory: int = 0) -> list[Case]:
    """The ordinary call, the one without a fresh output, and a copy."""
    size = SIZE if framework == "numpy" else max(SIZE, largest_size(gpu_memory))

    def case(name: str, mode: str, build: Any) -> Case:
        return Case(TOPIC, name, size, framework, mode, partial(build, framework, size))

    if framework == "jax":
        timed = [case("scale", "compiled", _fresh), case("scale", "compiled, donated", _donated)]
        return [*timed, case("copy", "copy", _copy_by_jax)]
    if framework == "torch":
        timed = [case("scale", "compiled", _fresh), case("scale", "compiled, into out", _into)]
        timed.append(case("scale", "compiled, in place", _in_place))
        return [*timed, case("copy", "copy", _copy_by_torch)]
    return [case("copy", "copy", _copy_by_numpy)]


def _moved(size: int) -> int:
    """Bytes: each element is read and written once."""
    return 2 * _ITEM * size


def _numbers(size: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).random(size, dtype=np.float32)


def _array(framework: str, size: int, seed: int = 0) -> Any:
    adapter = _frameworks.adapter(framework)
    return adapter.to_device(adapter.from_numpy(_numbers(size, seed)))


def _fresh(framework: str, size: int) -> Work:
    inputs = rotated(lambda seed: (_array(framework, size, seed),), cache_size(framework))
    return calling(compiled(framework, scale), inputs, moved=_moved(size))


def _donated(framework: str, size: int) -> Work:
    """Each call gives its input's memory to its output, and the output is the next input."""
    import jax

    x = _array(framework, size)
    step = jax.jit(scale, donate_argnums=0)

    def run() -> None:
        nonlocal x
        x = step(x).block_until_ready()

    return Work(lambda: run, moved=_moved(size), sample=lambda: x)


def _into(framework: str, size: int) -> Work:
    import torch

    def scale_into(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return out.copy_(scale(x))

    x = _array(framework, size)
    arguments = (x, torch.empty_like(x))
    return calling(compiled(framework, scale_into), [arguments], moved=_moved(size))


def _in_place(framework: str, size: int) -> Work:
    import torch

    def scale_in_place(x: torch.Tensor) -> torch.Tensor:
        return x.copy_(scale(x))

    arguments = (_array(framework, size),)
    return calling(compiled(framework, scale_in_place), [arguments], moved=_moved(size))


def _copy_by_numpy(framework: str, size: int) -> Work:
    """With one thread."""
    source = _numbers(size)
    return Work(lambda: partial(np.copyto, np.empty_like(source), source), moved=_moved(size))


def _copy_by_jax(framework: str, size: int) -> Work:
    """Into an array of its own: JAX writes into no other's."""
    import jax.numpy as jnp

    return calling(jnp.copy, [(_array(framework, size),)], moved=_moved(size))


def _copy_by_torch(framework: str, size: int) -> Work:
    """With all threads, into memory that is already in use."""
    import torch

    source = _array(framework, size)
    arguments = (torch.empty_like(source), source)
    return calling(torch.Tensor.copy_, [arguments], moved=_moved(size))
