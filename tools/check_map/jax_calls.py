"""Calls a name of JAX and its line in PyTorch on one sample, and compares the results."""

import functools
import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.map import paste_torch
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import call_text
from jaxvstorch._port.map.running.values import DTYPES
from tools.check_map import jax_values
from tools.check_map.draws import distribution_differences
from tools.check_map.gradients import compared, torch_gradients, weights
from tools.check_map.jax_samples import Sample
from tools.check_map.jax_values import to_jax, to_torch
from tools.check_map.outcomes import raised


def namespace(seed: int = 0) -> dict[str, Any]:
    """What an expression for PyTorch can read, beside its parameters."""
    generator = torch.Generator().manual_seed(seed)
    modules = {"torch": torch, "paste": paste_torch, "functools": functools, "math": math}
    return modules | {"generator": generator, "jnp": _DEFAULTS}


# JAX's dtypes, as a line's defaults name them.
_DEFAULTS = SimpleNamespace(**{np.dtype(theirs).name: ours for ours, theirs in DTYPES.items()})


def in_torch(row: Row) -> Callable[..., Any]:
    """A line's expression, as a function of JAX's parameters."""
    line: Callable[..., Any] = eval(row.source(row.expression or ""), namespace())
    return line


def refusal(row: Row, sample: Sample) -> Difference | None:
    """The parameter that a sample sets and PyTorch lacks, if any."""
    taker = eval(f"lambda {row.made}: 0", namespace())
    try:
        given = inspect.signature(taker).bind(*sample.args, **sample.kwargs).arguments
    except TypeError:
        return None  # both refuse it
    refused = [name for name in row.refused if name in given]
    return Difference("refused", "", refused[0]) if refused else None


def outcome(function: Callable[..., Any], to: Callable[[Any], Any], sample: Sample) -> Any:
    """The arrays that a call gives, or the error that it raises.

    Args:
        function: of either framework.
        to: gives it its arguments: ``to_jax`` or ``to_torch``.
        sample: the call.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*to(sample.args), **to(sample.kwargs))
            if sample.called is not None:
                result = result(*to(sample.called))
            return leaves(sample.then(result) if sample.then else result)
        except Exception as error:
            return error


def leaves(value: Any) -> list[Any]:
    """The arrays in a result; of one without numbers, its shape and dtype."""
    if value is None or (callable(value) and not isinstance(value, type)):
        return []
    if isinstance(value, dict):
        return [leaf for name in sorted(value, key=str) for leaf in leaves(value[name])]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, jax.ShapeDtypeStruct | jax.core.ShapedArray) or getattr(
        value, "is_meta", False
    ):
        return [*value.shape, value.dtype]
    if isinstance(value, torch.Generator):
        return [torch.rand(4000, generator=value)]
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        keys = value.reshape(-1)
        return [jax.random.uniform(keys[index], (4000,)) for index in range(keys.size)]
    return [value]


def differences(ours: Any, theirs: Any) -> list[Difference]:
    """How PyTorch's result and JAX's differ; nothing where both refuse."""
    errors = raised(ours, theirs)
    return compare(ours, theirs, wide=False) if errors is None else errors


def drawn(ours: Any, theirs: Any) -> list[Difference]:
    """How the numbers that both draw differ, by a two-sample Kolmogorov-Smirnov test."""
    failed = isinstance(ours, Exception) or isinstance(theirs, Exception)
    if failed or len(ours) != len(theirs):
        return differences(ours, theirs)
    pairs = zip(ours, theirs, strict=True)
    return [difference for pair in pairs for difference in distribution_differences(*pair)][:1]


def repeated(row: Row, function: Callable[..., Any], sample: Sample) -> list[Difference]:
    """What a second draw gives: a key draws its numbers again, a generator draws others."""
    line = in_torch(row)
    ours = [outcome(line, to_torch, sample) for _ in range(2)]
    theirs = [outcome(function, to_jax, sample) for _ in range(2)]
    if any(isinstance(result, Exception) for result in (*ours, *theirs)):
        return []
    same = [not differences(*pair) for pair in (ours, theirs)]
    texts = ["the same numbers" if repeats else "other numbers" for repeats in same]
    return [Difference("drawn again", *texts)] if same[0] != same[1] else []


def gradient_differences(
    row: Row, function: Callable[..., Any], sample: Sample
) -> list[Difference] | None:
    """How the gradients of a weighted sum of all results differ; None where there are none."""
    wide = [isinstance(a, np.ndarray) and a.dtype == np.float64 for a in sample.args]
    positions = [position for position, is_wide in enumerate(wide) if is_wide]

    def total(run: Callable[..., Any], to: Any, summed: Any, arrays: Any) -> Any:
        args = list(to(sample.args))
        for position, array in zip(positions, arrays, strict=True):
            args[position] = array
        return summed(leaves(run(*args, **to(sample.kwargs))))

    def gradients(places: Sequence[int]) -> Any:
        def chosen(arrays: Sequence[jax.Array]) -> Any:
            every = [to_jax(sample.args[position]) for position in positions]
            for place, array in zip(places, arrays, strict=True):
                every[place] = array
            return total(function, to_jax, _jax_sum, every)

        return jax.grad(chosen)([to_jax(sample.args[positions[place]]) for place in places])

    if not positions:
        return None
    inputs = [to_torch(sample.args[position]) for position in positions]
    ours = torch_gradients(partial(total, in_torch(row), to_torch, _torch_sum), inputs)
    return compared(ours, gradients, only_pytorch=False)


def _torch_sum(results: list[Any]) -> Any:
    inexact = [r for r in results if getattr(r, "requires_grad", False)]
    return sum((r * torch.from_numpy(weights(r.shape))).real.sum() for r in inexact)


def _jax_sum(results: list[Any]) -> Any:
    inexact = [r for r in results if jnp.issubdtype(jnp.result_type(r), jnp.inexact)]
    return sum((r * weights(r.shape)).real.sum() for r in inexact)


def text_of(sample: Sample) -> str:
    """A sample's arguments as text, dtypes by JAX's names."""
    parts = [(sample.args, sample.kwargs)]
    parts += [] if sample.called is None else [(sample.called, {})]
    texts = [call_text(Call(len, *map(jax_values.to_show, part))) for part in parts]
    text = texts[0] if len(texts) == 1 else "".join(f"({part})" for part in texts)
    return text.replace("torch.", "jnp.")
