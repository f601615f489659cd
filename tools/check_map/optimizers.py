"""Optimizers and schedules of ``torch.optim``, tried for some steps."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, of_pytorch
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import call_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments
from tools.check_map import samples
from tools.check_map.arguments import OUT_OF_RANGE, argument_calls, other_values, trial_of
from tools.check_map.outcomes import outcomes, raised
from tools.check_map.tally import Tally
from tools.check_map.variants import of_trial

STEPS = 20
RATE = 0.125  # of the optimizer that a schedule is tried on


def try_optimizer(row: Row) -> Tally:
    """The parameters after some steps on the same gradients."""
    tally = Tally()
    calls = [*_optimizer_calls(row)]
    for call in calls:
        tally.add("steps", call_text(call), _optimizer_differences(row, call))
    for call in [*_special_calls(row, calls[0])][:: samples.stride] if calls else ():
        found = _optimizer_differences(row, call)
        refused = [d._replace(kind=OUT_OF_RANGE) for d in found if d.kind == "only PyTorch raises"]
        tally.add("arguments", call_text(call), refused or found)
    return tally


def _special_calls(row: Row, call: Call) -> Iterator[Call]:
    """The call with another value for each argument in turn."""
    for name in [n for n in row.parameters if n not in {"params", *row.refused}]:
        for value in other_values(row, call.kwargs, name):
            yield replace(call, kwargs=call.kwargs | {name: value})


def _optimizer_differences(row: Row, call: Call) -> list[Difference]:
    try:
        args, kwargs = jax_arguments(row, call)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    results: list[Any] = []
    start, gradients = _drawn()
    line = eval(row.source(row.expression or ""), namespace())
    for stepped in (
        lambda: _stepped(call, start, gradients),
        lambda: _stepped_by_optax(line(None, *args[1:], **kwargs), start, gradients),
    ):
        try:
            results.append(stepped())
        except Exception as error:
            results.append(error)
    errors = raised(*results)
    return compare(results[0], results[1], wide=False) if errors is None else errors


def _drawn() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return (
        rng.standard_normal((4, 3)).astype(np.float32),
        rng.standard_normal((STEPS, 4, 3)).astype(np.float32),
    )


def _stepped(call: Call, start: np.ndarray, gradients: np.ndarray) -> torch.Tensor:
    parameter = torch.nn.Parameter(torch.from_numpy(start.copy()))
    optimizer = call.function([parameter], **call.kwargs)
    for gradient in gradients:
        parameter.grad = torch.from_numpy(gradient.copy())
        optimizer.step()
    return parameter.detach()


def _stepped_by_optax(
    optimizer: optax.GradientTransformation, start: np.ndarray, gradients: np.ndarray
) -> jax.Array:
    parameter = jnp.asarray(start)
    state = optimizer.init(parameter)
    step = jax.jit(optimizer.update)
    for gradient in gradients:
        updates, state = step(jnp.asarray(gradient), state, parameter)
        parameter = optax.apply_updates(parameter, updates)
    return parameter


@cache
def _optimizers() -> dict[str, Any]:
    """PyTorch's descriptions of its optimizers, by name."""
    from torch.testing._internal.common_optimizers import optim_db

    infos: list[Any] = optim_db
    return {f"torch.optim.{info.optim_cls.__name__}": info for info in infos}


def _optimizer_calls(row: Row) -> Iterator[Call]:
    function = of_pytorch(row.name)
    yield from samples.written_calls(row, function)
    if info := _optimizers().get(row.name):
        for sample in samples.spread(list(info.optim_inputs_func(device="cpu"))):
            yield Call(function, (None,), sample.kwargs)


def try_schedule(row: Row) -> Tally:
    """The learning rates of some steps, from the same first rate."""
    tally = Tally()
    written = samples.written_calls(row, of_pytorch(row.name))
    trials = [("steps", _with_optimizer(call)) for call in written]
    special = [c for _, call in trials[:1] for c in argument_calls(row, call)]
    plain = [pair for pair in special if not isinstance(pair[0], torch.Tensor)]
    trials += [(trial_of(value), call) for value, call in plain[:: samples.stride]]
    for trial, call in trials:
        function = partial(_jax_rates, row)
        rates = replace(call, function=partial(_torch_rates, call.function))
        try:
            ours, theirs = outcomes(row, function, rates)
        except RefusedError:
            continue
        differences = raised(ours, theirs)
        if differences is None:
            differences = compare(ours, theirs, wide=False)
        shown = replace(call, args=call.args[1:])
        tally.add(trial, call_text(shown), of_trial(trial, differences))
    return tally


def _with_optimizer(call: Call) -> Call:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=RATE)
    return replace(call, args=(optimizer, *call.args))


def _torch_rates(schedule_of: Any, _: Any, *args: Any, **kwargs: Any) -> np.ndarray:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=RATE)
    schedule = schedule_of(optimizer, *args, **kwargs)
    rates = []
    for _ in range(STEPS):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return np.asarray(rates, np.float32)


def _jax_rates(row: Row, _: Any, *args: Any, **kwargs: Any) -> np.ndarray:
    rate = eval(row.source(row.expression or ""), namespace() | {"lr": RATE})
    rate_at = rate(None, *args, **kwargs)
    return np.asarray([float(rate_at(step)) for step in range(STEPS)], np.float32)
