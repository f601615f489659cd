"""One function in both frameworks, with what tests, book, benchmarks and command need to know."""

import operator
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import with_arrays_mapped
from jaxvstorch._pairs.standalone import standalone

Function = Callable[..., Any]


@dataclass(frozen=True)
class Benchmark:
    """How the benchmarks time a pair.

    Attributes:
        sizes: of the inputs. The first is also the size of the first call, and the second is the
            size of the call with a new shape. By default one is so small that the call itself costs
            most, and one so large that the computation does.
        quick: the sizes that a quick session times.
        gpu_size: one more size on a GPU; ``"memory"`` for one that its memory allows.
        one_shape: why it is compiled for one shape only, if it is: then neither a first call nor a
            call with a new shape is timed.
        operations: the floating-point operations of a call at a size, if they limit its speed.
        skip: a further reason not to time the pair; others follow from the pair's attributes.
    """

    sizes: tuple[int, ...] = (16, 65_536)
    quick: tuple[int, ...] = ()
    gpu_size: int | Literal["memory"] | None = None
    one_shape: str = ""
    operations: Callable[[int], int] | None = None
    skip: str = ""


@dataclass(frozen=True)
class Pair:
    """One function, written in JAX and in PyTorch under one name.

    Attributes:
        name: the function's name in both halves.
        inputs: makes the arguments, given a size, a dtype and NumPy's generator; a function of the
            topic's ``inputs.py``.
        reference: computes the answer; a function of the topic's ``reference.py``. ``None`` if
            there is no single answer (a clock, say): then the topic's own tests say what holds.
        gradient: positions of the arguments it is differentiable in.
        static: names of the arguments that are static in ``jax.jit``.
        tolerance: the error allowed, as a multiple of the dtype's default.
        jit: whether ``jax.jit`` can compile it. If not, the topic's tests say how it fails.
        fullgraph: whether ``torch.compile`` makes one graph of it, in each version of PyTorch that
            this release was tested with. If not, the topic's tests say why.
        benchmark: how it is timed.
    """

    name: str
    inputs: Callable[..., tuple[Any, ...]]
    reference: Function | None
    gradient: tuple[int, ...] = ()
    static: tuple[str, ...] = ()
    tolerance: float = 1.0
    jit: bool = True
    fullgraph: bool = True
    benchmark: Benchmark = Benchmark()

    @property
    def topic(self) -> str:
        """The topic's folder under ``jaxvstorch/examples``: the one whose inputs it takes."""
        return self.inputs.__module__.split(".")[-2]

    def __str__(self) -> str:
        return f"{self.topic}.{self.name}"

    def half(self, framework: str) -> Function:
        """The function in one framework.

        Raises:
            ValueError: there is no such framework here.
            MissingFrameworkError: the framework is not installed.
        """
        function: Function = getattr(_half(self.topic, framework), self.name)
        return function

    def source(self, framework: str, *, shapes: bool = False) -> str:
        """The code of one half, which runs on its own: with its imports, constants and helpers.

        Args:
            framework: ``"jax"`` or ``"torch"``, which need not be installed.
            shapes: keep the shapes in the annotations, as in ``Float[Array, "n"]``. They need
                jaxtyping.
        """
        return standalone(self.topic, framework, self.name, shapes=shapes)

    def make_inputs(self, size: int, dtype: Any = "float32", seed: int = 0) -> tuple[Any, ...]:
        """Arguments as NumPy arrays and Python values.

        Args:
            size: about how many elements; the topic's ``inputs.py`` says in what.
            dtype: of the floating-point arrays: float16, bfloat16, float32 or float64.
            seed: for NumPy's generator.

        Raises:
            TypeError: ``dtype`` is not one of these, or ``size`` or ``seed`` is not a whole number.
            ValueError: ``size`` is less than 1, or ``seed`` is negative.
        """
        size, seed = _whole("size", size, least=1), _whole("seed", seed, least=0)
        return self.inputs(size, _floating(dtype), np.random.default_rng(seed))

    def to_framework(self, framework: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same arguments for one framework, on the device where it computes.

        Arrays are converted, also those inside lists, tuples and dicts, and Python values stay as
        they are. A function among the arguments is from ``reference.py``; each half gets its own
        function of that name.
        """
        half, adapter = _half(self.topic, framework), _frameworks.adapter(framework)
        converted = tuple(
            getattr(half, value.__name__)
            if callable(value)
            else with_arrays_mapped(adapter.from_numpy, value)
            for value in arguments
        )
        on_device: tuple[Any, ...] = adapter.to_device(converted)
        return on_device


def _half(topic: str, framework: str) -> ModuleType:
    return _frameworks.imported(f"jaxvstorch.examples.{topic}.{framework}", framework)


def _whole(what: str, value: Any, least: int) -> int:
    number = None
    with suppress(TypeError):
        number = operator.index(value)
    if number is None or isinstance(value, bool):
        raise TypeError(f"{what} must be a whole number, not {value!r}")
    if number < least:
        raise ValueError(f"{what} must be at least {least}, but is {number}")
    return number


_SHORT = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64"}


def _floating(dtype: Any) -> np.dtype[Any]:
    """NumPy's dtype object of a floating-point dtype, which may have a short name, as ``"f32"``."""
    from jaxvstorch._parity.comparison import TOLERANCE  # the command's list does without

    floating: np.dtype[Any] | None = None
    with suppress(TypeError):
        dtype = _SHORT.get(dtype, dtype) if isinstance(dtype, str) else dtype
        floating = None if dtype is None else np.dtype(dtype)  # NumPy takes None for float64
    if floating is None or floating not in TOLERANCE:
        names = " or ".join(sorted(map(str, TOLERANCE)))
        raise TypeError(f"dtype must be {names}, not {dtype!r}")
    return floating
