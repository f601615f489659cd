"""Functions and methods, tried on PyTorch's own samples, with gradients in float64."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, flat, of_pytorch, without_axes
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError
from tools.check_map import samples
from tools.check_map.arguments import translated
from tools.check_map.changing import arrays_of
from tools.check_map.gradients import (
    at_points,
    gradient_differences,
    in_quadrants,
    points,
    widened,
)
from tools.check_map.outcomes import outcomes, raised
from tools.check_map.tally import Run, Tally
from tools.check_map.variants import of_trial, variants

# JAX compiles an operation for each shape and dtype: the first dtype gets all samples, and the
# others some.
DTYPES = {torch.float32: 1, torch.bfloat16: 6, torch.int64: 2, torch.int32: 4, torch.uint8: 4,
          torch.bool: 4, torch.complex64: 4}  # fmt: skip
SMALL = 4  # numbers that a sample has at least, where there are such
SEEDS = 2  # samples that variants are made of


def try_function(row: Row) -> Tally:
    """Run a function's line on every sample, and on variants of some."""
    function = eval(row.source(row.expression or ""), namespace())

    def run(call: Call) -> list[Difference]:
        return differences(row, function, call)

    tally = Tally()
    own = samples.written_calls(row, of_pytorch(row.name))
    for call in own:
        tally.add("own", call, run(call), run)
    for operation, (dtype, every) in itertools.product(
        samples.operations(row.name), DTYPES.items()
    ):
        for call in samples.calls(operation, dtype)[::every]:
            tally.add(str(dtype)[6:], call, run(call), run)
    for operation in samples.operations(row.name):
        for call in samples.refused_calls(operation):
            tally.add("refused", call, run(call), run)
    made = [variants(row, call, few=number > 0) for number, call in enumerate(_seeds(row, own))]
    for trial, variant in [*itertools.chain(*made)][:: samples.stride]:
        tally.add(trial, variant, of_trial(trial, run(variant)), _variant_run(trial, run))
    with jax.enable_x64(True):
        _try_wide(row, function, tally, own)
    tally.simplify()
    return tally


def _try_wide(row: Row, function: Callable[..., Any], tally: Tally, own: Sequence[Call]) -> None:
    """Try samples of float64, and their gradients."""
    made: list[Call] = []
    for operation in samples.operations(row.name):
        for call in samples.calls(operation, torch.float64)[::4]:
            tally.add("float64", call, differences(row, function, call))
        made += samples.calls(operation, torch.float64, gradient=True, all_of=True)[::3]
    made += map(widened, own)
    trials = [("gradient", call) for call in made[:: samples.stride]]
    # What these compiled is not compiled again.
    compiled = [call for call in made if _numbers(call) and translated(row, call)]
    for seed in sorted(compiled, key=_size)[:1] or _seeds(row, own)[:1]:
        trials.append(("gradient", in_quadrants(seed)))
        trials += [("kink", call) for call in points(row, seed)][:: samples.stride]
    for trial, call in trials:
        gradients = gradient_differences(row, function, call)
        if gradients is not None:
            tally.add(trial, call, at_points(trial, gradients))


def _seeds(row: Row, own: Sequence[Call]) -> list[Call]:
    """A small sample and another one that the line translates, of float32 if there are any.

    Where a line has its own samples, they come second: PyTorch's vary more.
    """
    calls: list[Call] = []
    for dtype in (torch.float32, torch.int64, torch.complex64, torch.bool):
        for operation in samples.operations(row.name):
            made = samples.calls(operation, dtype, all_of=True)
            calls += [call for call in made if _numbers(call) > 1 and translated(row, call)]
        if calls:
            break
    written = [call for call in own if _numbers(call) > 1]
    if not calls and not written:
        return _without_arrays(row, own)[:1]
    smallest = [min(some, key=_size) for some in (calls, written) if some]
    every = calls or written
    others = [call for call in every[len(every) // 2 :] if call is not smallest[0]]
    return [*smallest, *others][:SEEDS]


def _without_arrays(row: Row, own: Sequence[Call]) -> list[Call]:
    """The samples that hold no arrays, as those of a name that makes one."""
    calls = [*own]
    for operation in samples.operations(row.name):
        calls += samples.calls(operation, torch.float32, all_of=True)
    return [call for call in calls if not arrays_of(call) and translated(row, call)]


def _size(call: Call) -> tuple[bool, bool, bool, int]:
    """A key that is least for the smallest call, of those with some numbers and axes."""
    one_axis = getattr(call.args[0] if call.args else None, "ndim", 0) < 2
    return without_axes(call), _numbers(call) < SMALL, one_axis, _numbers(call)


def _numbers(call: Call) -> int:
    """How many numbers the arrays hold; none where one is empty."""
    sizes = [x.numel() for x in flat((call.args, call.kwargs)) if isinstance(x, torch.Tensor)]
    return 0 if 0 in sizes or call.after else sum(sizes)


def _variant_run(trial: str, run: Run) -> Run:
    return lambda call: of_trial(trial, run(call))


def differences(row: Row, function: Callable[..., Any], call: Call) -> list[Difference]:
    """How the two differ on a call; nothing where both refuse it."""
    try:
        ours, theirs = outcomes(row, function, call)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    errors = raised(ours, theirs, "0-d" if without_axes(call) else "only JAX raises")
    if errors is not None:
        return errors
    if call.after is not None:
        ours, theirs = call.after(ours), call.after(_in_torch(theirs))
    return compare(ours, theirs, call.wide)


def _in_torch(value: Any) -> Any:
    """JAX's results as PyTorch's tests take them."""
    if isinstance(value, tuple | list):
        return tuple(_in_torch(item) for item in value)
    return torch.from_numpy(np.array(value))
