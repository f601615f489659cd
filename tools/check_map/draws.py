"""Functions that draw random numbers, compared by their distributions."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, of_pytorch
from jaxvstorch._port.map.running.compare import NARROWED, Difference
from jaxvstorch._port.map.running.describe import result_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError, array
from tools.check_map import samples
from tools.check_map.arguments import OUT_OF_RANGE, default
from tools.check_map.axes import takes, with_argument, without_tuples
from tools.check_map.changing import changed
from tools.check_map.outcomes import outcomes, raised
from tools.check_map.tally import Tally

UNLIKELY = 1e-4  # probability that a test finds two samples of one distribution this far apart
# Where a distribution's parameter may be refused.
_ODD = (-1.0, 0.0, 2.0, float("nan"), float("inf"))
_NUMBERS = frozenset({
    "a", "b", "lambd", "low", "high", "mean", "median", "p", "sigma", "std", "gain", "val",
})  # fmt: skip
_RANGES = (("low", "high"), ("a", "b"))  # whose ends may be refused in the wrong order


def try_draws(row: Row) -> Tally:
    """Compare the numbers that both draw, by a two-sample Kolmogorov-Smirnov test."""
    tally = Tally()
    function = eval(row.source(row.expression or ""), namespace())
    written = samples.written_calls(row, of_pytorch(row.name))
    for call in written:
        tally.add("draws", call, _differences(row, function, call))
    for call in written[:1]:
        for trial, variant in _variants(row, call):
            found = _differences(row, function, variant)
            if trial == "refused":
                found = [d._replace(kind=OUT_OF_RANGE) if "raises" in d.kind else d for d in found]
            tally.add(trial, variant, found)
    return tally


def _differences(row: Row, function: Any, call: Call) -> list[Difference]:
    try:
        ours, theirs = outcomes(row, function, call)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    errors = raised(ours, theirs)
    return distribution_differences(ours, theirs) if errors is None else errors


def _variants(row: Row, call: Call) -> Iterator[tuple[str, Call]]:
    """The call in other dtypes, with lists for sizes, and with numbers that may be refused."""
    arrays = any(isinstance(x, torch.Tensor) for x in call.args)
    for dtype in (torch.float16, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        if "dtype" in row.parameters:
            yield name, replace(call, kwargs={**call.kwargs, "dtype": dtype})
        elif arrays:
            yield name, changed(call, partial(torch.Tensor.to, dtype=dtype))
    if (listed := without_tuples(call)) is not None and takes(listed):
        yield "lists", listed
    for low, high in _RANGES:
        if {low, high} <= row.parameters.keys():
            yield from _refused(row, call, {low: 2, high: 1})
    for number in _ODD:
        for parameter in sorted(_NUMBERS & row.parameters.keys()):
            yield from _refused(row, call, {parameter: number})
        # Where the array holds the parameters, and is not what is filled.
        if arrays and "self" not in row.parameters and "_like" not in row.name:
            yield "refused", changed(call, partial(torch.full_like, fill_value=number))


def _refused(row: Row, call: Call, numbers: dict[str, float]) -> Iterator[tuple[str, Call]]:
    """The call with other numbers, by place: PyTorch's own names, as ``from``, may be others."""
    names = row.taken()
    last = max(map(names.index, numbers))
    before = [default(row, name) for name in names[len(call.args) : last + 1]]
    odd: Call | None = replace(call, args=(*call.args, *before))
    for name, number in numbers.items():
        odd = with_argument(row, odd, name, number) if odd else None
    if odd is not None and takes(odd):
        yield "refused", odd


def distribution_differences(ours: Any, theirs: Any) -> list[Difference]:
    """How the numbers of two arrays differ as samples, and their shapes and dtypes."""
    from scipy.stats import ks_2samp

    a, b = array(ours), array(theirs)
    if a.shape != b.shape:
        return [Difference("shape", str(a.shape), str(b.shape))]
    differences = []
    # SciPy does not know bfloat16.
    x, y = (value.ravel().astype(np.float64) for value in (a, b))
    if np.isnan(x).all() != np.isnan(y).all():
        differences.append(Difference("NaN", result_text(ours), result_text(theirs)))
    elif x.size and not np.isnan(x).all() and ks_2samp(x, y).pvalue < UNLIKELY:
        differences.append(Difference("distribution", result_text(ours), result_text(theirs)))
    if a.dtype != b.dtype:
        narrower = NARROWED.get(a.dtype.name) == b.dtype.name
        differences.append(Difference("width" if narrower else "dtype", a.dtype.name, b.dtype.name))
    return differences
