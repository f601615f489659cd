"""Where memory is the limit: a fresh output on each call, none, and a plain copy."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import Case, Work, calling, compiled, rotated
from jaxvstorch import frameworks

TOPIC = "memory"
SIZE = 20_000_000  # 80 MB of float32: more than a last-level cache holds
MOVED = 2 * 4 * SIZE  # bytes: each element is read and written once


def scale(x: Any) -> Any:
    """One read and one write per element; written the same in both frameworks."""
    return 0.5 * x + 1.0


def cases(framework: str, quick: bool) -> list[Case]:
    """The ordinary call, the one without a fresh output, and a copy."""

    def case(name: str, mode: str, build: Any) -> Case:
        return Case(TOPIC, name, SIZE, framework, mode, partial(build, framework))

    if framework == "jax":
        found = [case("scale", "compiled", _fresh), case("scale", "compiled, donated", _donated)]
        return [*found, case("copy", "copy", _copy)]
    if framework == "torch":
        found = [case("scale", "compiled", _fresh), case("scale", "compiled, into out", _into)]
        found.append(case("scale", "compiled, in place", _in_place))
        return [*found, case("copy", "copy", _copy)]
    return [case("copy", "copy", _copy)]


def _numbers(seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal(SIZE, dtype=np.float32)


def _fresh(framework: str) -> Work:
    convert = frameworks.adapter(framework).from_numpy
    inputs = [(convert(x),) for (x,) in rotated(lambda seed: (_numbers(seed),))]
    return calling(compiled(framework, scale), inputs, moved=MOVED)


def _donated(framework: str) -> Work:
    """Each call gives its input's memory to its output, and the output is the next input."""
    import jax
    import jax.numpy as jnp

    x = jnp.asarray(_numbers())
    step = jax.jit(scale, donate_argnums=0)

    def run() -> None:
        nonlocal x
        x = step(x).block_until_ready()

    return Work(lambda: run, moved=MOVED, sample=lambda: x)


def _into(framework: str) -> Work:
    import torch

    def scale_into(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return out.copy_(scale(x))

    x = torch.from_numpy(_numbers())
    arguments = (x, torch.empty_like(x))
    return calling(compiled(framework, scale_into), [arguments], moved=MOVED)


def _in_place(framework: str) -> Work:
    import torch

    def scale_in_place(x: torch.Tensor) -> torch.Tensor:
        return x.copy_(scale(x))

    arguments = (torch.from_numpy(_numbers()),)
    return calling(compiled(framework, scale_in_place), [arguments], moved=MOVED)


def _copy(framework: str) -> Work:
    """By NumPy with one thread, by PyTorch with all of them, by JAX into an array of its own."""
    source = _numbers()
    if framework == "jax":
        import jax.numpy as jnp

        return calling(jnp.copy, [(jnp.asarray(source),)], moved=MOVED)
    if framework == "numpy":
        return Work(lambda: partial(np.copyto, np.empty_like(source), source), moved=MOVED)
    import torch

    tensor = torch.from_numpy(source)
    target = torch.empty_like(tensor)

    def run() -> None:
        target.copy_(tensor)

    return Work(lambda: run, moved=MOVED)
