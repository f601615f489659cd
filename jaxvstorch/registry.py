"""Every pair of example functions, one line each.

Tests, benchmarks, book and command all start from ``PAIRS``.
"""

import importlib
import operator
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from jaxvstorch import frameworks


@dataclass(frozen=True)
class Pair:
    """One function, written in JAX and in PyTorch under one name.

    Attributes:
        topic: folder under ``jaxvstorch/examples``.
        name: the function's name in both halves.
        inputs: function in the topic's ``inputs.py`` that makes the arguments.
        reference: function in the topic's ``reference.py`` that gives the answer; ``None`` where
            there is no single answer (a clock, say): then the topic's own tests say what holds.
        gradient: positions of the arguments it is differentiable in.
        static: names of the arguments that ``jax.jit`` must be told are static.
        tolerance: the error allowed, as a multiple of the one that the dtype allows by default.
        jit: ``jax.jit`` can compile it. Where not, the topic's tests say how it fails.
        fullgraph: ``torch.compile`` makes one graph of it. Where not, the topic's tests say why.
    """

    topic: str
    name: str
    inputs: str
    reference: str | None
    gradient: tuple[int, ...] = ()
    static: tuple[str, ...] = ()
    tolerance: float = 1.0
    jit: bool = True
    fullgraph: bool = True

    def __str__(self) -> str:
        return f"{self.topic}.{self.name}"

    def half(self, framework: str) -> Callable[..., Any]:
        """The function in one framework.

        Raises:
            MissingFrameworkError: the framework is not installed.
        """
        function: Callable[..., Any] = getattr(_half(self.topic, framework), self.name)
        return function

    def reference_function(self) -> Callable[..., Any]:
        """The answer, computed by NumPy.

        Raises:
            LookupError: this pair has no reference.
        """
        if self.reference is None:
            raise LookupError(f"{self} has no reference: it has no single answer")
        function: Callable[..., Any] = getattr(_module(self.topic, "reference"), self.reference)
        return function

    def make_inputs(self, size: int, dtype: Any = "float32", seed: int = 0) -> tuple[Any, ...]:
        """Arguments as NumPy arrays and Python values.

        Args:
            size: about how many elements; the topic's ``inputs.py`` says of what.
            dtype: of the floating-point arrays: float16, bfloat16, float32 or float64.
            seed: for NumPy's generator.

        Raises:
            TypeError: ``dtype`` is no such dtype, or ``size`` no whole number.
            ValueError: ``size`` is less than 1, or ``seed`` is negative.
        """
        import numpy as np  # a third of what `jaxvstorch list` would take

        if operator.index(size) < 1:
            raise ValueError(f"size must be at least 1, and is {size}")
        make = getattr(_module(self.topic, "inputs"), self.inputs)
        rng = np.random.default_rng(seed)
        arguments: tuple[Any, ...] = make(operator.index(size), _floating(dtype), rng)
        return arguments

    def to_framework(self, framework: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same arguments for one framework: arrays moved over, Python values as they are.

        A function among the arguments is one of ``reference.py``'s; each half gets its own
        function of that name.
        """
        half = _half(self.topic, framework)
        convert = frameworks.adapter(framework).from_numpy
        return tuple(getattr(half, a.__name__) if callable(a) else convert(a) for a in arguments)


def _floating(dtype: Any) -> Any:
    """NumPy's dtype object of a floating-point dtype."""
    import numpy as np

    from jaxvstorch.comparison import TOLERANCE

    try:
        found = None if dtype is None else np.dtype(dtype)  # NumPy takes None for float64
    except TypeError:
        found = None
    if found not in TOLERANCE:
        names = ", ".join(sorted(map(str, TOLERANCE)))
        raise TypeError(f"dtype must be one of NumPy's for {names}, not {dtype!r}")
    return found


def _module(topic: str, name: str) -> ModuleType:
    return importlib.import_module(f"jaxvstorch.examples.{topic}.{name}")


def _half(topic: str, framework: str) -> ModuleType:
    frameworks.require(framework, wanted_by=f"jaxvstorch.examples.{topic}.{framework}")
    return _module(topic, framework)


PAIRS: tuple[Pair, ...] = (
    Pair("tracing", "sin_cos", "angles", "sin_cos", gradient=(0,)),
    Pair("tracing", "polynomial_sum", "positive", "polynomial_sum", gradient=(0,)),
    Pair("tracing", "matmul", "square_matrices", "matmul", gradient=(0, 1)),
    Pair("tracing", "three_ratios", "ratio", "three_ratios", gradient=(0, 1)),
    Pair("tracing", "print_in_python", "angles", "sin_plus_one", (0,), fullgraph=False),
    Pair("tracing", "print_in_program", "angles", "sin_plus_one", gradient=(0,)),
    Pair("tracing", "affine", "affine", "affine", gradient=(0, 2), static=("squared",)),
    Pair("tracing", "layer", "layer", "layer", gradient=(0, 1)),
    Pair("tracing", "nested_layer", "layer", "layer", gradient=(0, 1)),
    Pair("tracing", "layers", "layers", "layers", gradient=(0, 1), static=("num_layers",)),
    Pair("tracing", "nested_layers", "layers", "layers", (0, 1), static=("num_layers",)),
    Pair("purity", "powers", "vector", "powers", gradient=(0,)),
    Pair("purity", "squared_deviations", "vector", "squared_deviations", gradient=(0,)),
    Pair("purity", "neighbour_sums", "vector", "neighbour_sums", gradient=(0,)),
    Pair("purity", "centered", "vector_and_dict", "centered", gradient=(0,)),
    Pair("purity", "centered_and_mean", "vector", "centered_and_mean", gradient=(0,)),
    Pair("purity", "counted", "vector", "counted", gradient=(0,)),
    Pair("purity", "summed_squares", "vector", "summed_squares", gradient=(0,)),
    Pair("purity", "scaled", "vector", "scaled", gradient=(0,)),
    Pair("purity", "scaled_by", "vector_and_scale", "scaled_by", gradient=(0, 1)),
    Pair("purity", "shifted_by_setting", "vector", "shifted_by_setting", gradient=(0,)),
    Pair("purity", "shifted_by_file", "file", "shifted_by_file", (0,), ("path",), fullgraph=False),
    Pair("purity", "announced_sum", "vector", "announced_sum", gradient=(0,), fullgraph=False),
    Pair("purity", "stamped", "vector", None, fullgraph=False),
    Pair("purity", "jittered", "vector", None, fullgraph=False),
    Pair("purity", "noisy", "vector", None),
    Pair("static_args", "loss", "loss", "loss", gradient=(0, 1), static=("robust",)),
    Pair("static_args", "loss_where", "loss_where", "loss", gradient=(0, 1)),
    Pair("static_args", "relu", "activation", "relu", gradient=(0,)),
    Pair("static_args", "tanh", "activation", "tanh", gradient=(0,)),
    Pair("static_args", "gated", "gated", "gated", gradient=(0, 1), static=("activation",)),
    Pair("static_args", "gated_by_name", "named", "named", gradient=(0, 1), static=("name",)),
    Pair("static_args", "samples", "samples", "samples", gradient=(0,), static=("num_samples",)),
    Pair("static_args", "samples_like", "samples_like", "samples_like", gradient=(0,)),
    Pair("static_args", "mean_over", "mean_over", "mean_over", gradient=(0,), static=("axes",)),
    Pair("static_args", "scaled", "scaled", "scaled", gradient=(0,)),
    Pair("branching", "select_if", "select", "select", gradient=(1,), jit=False, fullgraph=False),
    Pair("branching", "select_cond", "select", "select", gradient=(1,)),
    Pair("branching", "select_where", "select", "select", gradient=(1,)),
    Pair("branching", "select_elements", "elements", "select", gradient=(1,)),
    Pair("branching", "activate_list", "activate", "activate", (1,), jit=False, fullgraph=False),
    Pair("branching", "activate_switch", "activate", "activate", gradient=(1,)),
    Pair("branching", "activate_select", "activate", "activate", gradient=(1,)),
    Pair("branching", "expensive_cond", "expensive", "expensive", gradient=(1,)),
    Pair("branching", "expensive_where", "expensive", "expensive", gradient=(1,)),
    Pair("branching", "expensive_cond_batch", "expensive_batch", "expensive", gradient=(1,)),
    Pair("branching", "expensive_where_batch", "expensive_batch", "expensive", gradient=(1,)),
    Pair("branching", "sqrt_unsafe", "signed", "sqrt"),  # its gradient is what is wrong with it
    Pair("branching", "sqrt_safe", "signed", "sqrt", gradient=(0,)),
    Pair("branching", "next_token", "logits", "next_token"),
    Pair("branching", "mask_after_end", "tokens", "mask_after_end"),
    Pair("branching", "attention_mask", "tokens", "attention_mask"),
    Pair("loops", "evolve_python", "evolve", "evolve", gradient=(0,), static=("num_steps",)),
    Pair("loops", "evolve_fori", "evolve", "evolve", gradient=(0,), static=("num_steps",)),
    Pair("loops", "evolve_while", "evolve_while", "evolve"),
    Pair("loops", "evolve_scan", "evolve", "evolve", gradient=(0,), static=("num_steps",)),
    Pair("loops", "evolve_scan_unrolled", "evolve", "evolve", static=("num_steps",)),
    Pair("loops", "sqrt_python", "sqrt", "sqrt", gradient=(0,), jit=False, fullgraph=False),
    Pair("loops", "sqrt_while", "sqrt", "sqrt"),
    Pair("loops", "density_map", "density", "density", gradient=(0, 1)),
    Pair("loops", "density_vmap", "density", "density", gradient=(0, 1)),
    Pair("loops", "recurrence_sequential", "recurrence", "recurrence", gradient=(0, 1)),
    Pair("loops", "recurrence_associative", "recurrence", "recurrence", gradient=(0, 1)),
)


def topics() -> list[str]:
    """The topics, in the order of the book."""
    return list(dict.fromkeys(pair.topic for pair in PAIRS))
