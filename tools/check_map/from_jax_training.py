"""Lines of flax's modules and of optax's optimizers and schedules, tried beside PyTorch."""

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from flax import nnx

from jaxvstorch._port.from_jax.layers import carried, carrying
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.namespace import Weights
from jaxvstorch._port.map.running.of_jax import of_jax
from jaxvstorch._port.map.running.values import array
from tools.check_map import jax_calls, samples
from tools.check_map.arguments import OUT_OF_RANGE
from tools.check_map.jax_calls import namespace, outcome, text_of
from tools.check_map.jax_samples import Sample
from tools.check_map.jax_values import to_jax, to_torch
from tools.check_map.jax_variants import special_samples
from tools.check_map.outcomes import raised
from tools.check_map.tally import Tally
from tools.check_map.variants import of_trial

STEPS = 20


def try_module(row: Row, tried: list[Sample]) -> Tally:
    """Make the module in both, give both flax's weights, and call both."""
    tally = Tally()
    for sample in [*tried, *_special_modules(row, tried)]:
        kwargs = to_jax(sample.kwargs)
        module = of_jax(row.name)(*to_jax(sample.args), **kwargs, rngs=nnx.Rngs(0))
        state = Weights(_weights(module))
        theirs = jax_calls.leaves(module(*to_jax(sample.called)))
        for kind, text in (("module", row.expression), ("plain", row.option("plain"))):
            if text is not None:
                found = _differences(row, text, state, sample, theirs)
                trial = sample.kind or kind
                tally.add(trial, text_of(sample), of_trial(trial, found))
        if nnx.state(module, nnx.BatchStat) and not sample.kind:
            tally.add("in training", text_of(sample), _kept_differences(row, module, state, sample))
    return tally


def _special_modules(row: Row, tried: list[Sample]) -> list[Sample]:
    """The first sample with other optional arguments, where flax takes them."""
    required = [name for name in row.taken() if row.parameters[name] is None]
    made = [
        variant
        for sample in tried[:1]
        for variant in special_samples(row, sample)
        if variant.args[: len(required)] == sample.args[: len(required)] and _runs(row, variant)
    ]
    return made[:: samples.stride]


def _runs(row: Row, sample: Sample) -> bool:
    kwargs = to_jax(sample.kwargs)
    try:
        of_jax(row.name)(*to_jax(sample.args), **kwargs, rngs=nnx.Rngs(0))(*to_jax(sample.called))
    except Exception:  # it is no call of a program that runs
        return False
    return True


def _weights(module: nnx.Module) -> dict[str, torch.Tensor]:
    """Random weights for a flax module, as PyTorch's arrays, by their paths in the module."""
    module.eval()
    rng = np.random.default_rng(0)
    drawn: dict[str, torch.Tensor] = {}

    def renew(path: tuple[Any, ...], variable: Any) -> Any:
        value = rng.uniform(0.5, 1.5, variable.shape).astype(np.float32)
        drawn[".".join(map(str, path))] = torch.from_numpy(value)
        return variable.replace(jnp.asarray(value))

    state = nnx.state(module, nnx.Not(nnx.RngState))
    nnx.update(module, nnx.map_state(renew, state))
    return drawn


def _differences(
    row: Row, text: str, state: Weights, sample: Sample, theirs: list[Any]
) -> list[Difference]:
    scope = namespace() | {"w": state}
    if text == row.expression:
        values = eval(row.option("weights") or "{}", scope)
        scope["carried"] = lambda module: carried(module, values)
        text = ast.unparse(carrying(ast.parse(text, mode="eval").body))
    taker: Callable[..., Any] = eval(row.source(text), scope)
    try:
        ours = taker(*to_torch(sample.args), **to_torch(sample.kwargs))(*to_torch(sample.called))
    except Exception as error:
        return [Difference("only PyTorch raises", error_text(error), "")]
    return compare(jax_calls.leaves(ours), theirs, wide=False)


def _kept_differences(
    row: Row, module: nnx.Module, state: Weights, sample: Sample
) -> list[Difference]:
    """How what both modules keep from a step in training differs, such as running averages."""
    weights = row.option("weights") or "{}"
    values = eval(weights, {"w": state})
    made: list[torch.nn.Module] = []

    def trained(layer: torch.nn.Module) -> torch.nn.Module:
        made.append(carried(layer, values, training=True))
        return made[-1]

    line = ast.unparse(carrying(ast.parse(row.expression or "", mode="eval").body))
    taker = eval(row.source(line), namespace() | {"w": state, "carried": trained})
    taker(*to_torch(sample.args), **to_torch(sample.kwargs))(*to_torch(sample.called))
    module.train()
    module(*to_jax(sample.called))
    paths = nnx.to_flat_state(nnx.state(module, nnx.Not(nnx.RngState)))
    after = Weights({".".join(map(str, path)): value[...] for path, value in paths})
    theirs = eval(weights, {"w": after})
    pairs = [(buffer, theirs[name]) for layer in made for name, buffer in layer.named_buffers()
             if name in theirs]  # fmt: skip
    found = [difference for pair in pairs for difference in compare(*pair, wide=False)]
    return [difference._replace(kind="buffers") for difference in found[:1]]


def try_steps(row: Row, tried: list[Sample]) -> Tally:
    """The parameters after some steps on the same gradients."""
    tally = Tally()
    rng = np.random.default_rng(0)
    start = rng.standard_normal((4, 3)).astype(np.float32)
    gradients = rng.standard_normal((STEPS, 4, 3)).astype(np.float32)
    special = [variant for sample in tried[:1] for variant in special_samples(row, sample)]
    for sample in [*tried, *special[:: samples.stride]]:
        refused = jax_calls.refusal(row, sample)
        found = [refused] if refused else _steps_differences(row, sample, start, gradients)
        kind = "refused" if refused else sample.kind or "steps"
        tally.add(kind, text_of(sample), of_trial(kind, found))
    return tally


def _steps_differences(row: Row, sample: Sample, *arrays: np.ndarray) -> list[Difference]:
    """How the parameters differ; an argument that PyTorch alone refuses is out of its range."""
    both: list[Any] = []
    for stepped in (_stepped, _stepped_by_optax):
        try:
            both.append(stepped(row, sample, *arrays))
        except Exception as error:
            both.append(error)
    errors = raised(*both)
    if errors is None:
        return compare(both[0], both[1], wide=False)
    kind = OUT_OF_RANGE if sample.kind else "only PyTorch raises"
    return [d._replace(kind=kind) for d in errors if d.kind == "only PyTorch raises"]


def _stepped(row: Row, sample: Sample, start: np.ndarray, gradients: np.ndarray) -> Any:
    parameter = torch.nn.Parameter(torch.from_numpy(start.copy()))
    scope = namespace() | {"params": [parameter]}
    optimizer = eval(row.source(row.expression or ""), scope)(*sample.args, **sample.kwargs)
    for gradient in gradients:
        parameter.grad = torch.from_numpy(gradient.copy())
        optimizer.step()
    return parameter.detach()


def _stepped_by_optax(row: Row, sample: Sample, start: np.ndarray, gradients: np.ndarray) -> Any:
    transformation = of_jax(row.name)(*sample.args, **sample.kwargs)
    value = jnp.asarray(start)
    state = transformation.init(value)
    step = jax.jit(transformation.update)
    for gradient in gradients:
        updates, state = step(jnp.asarray(gradient), state, value)
        value = value + updates
    return value


def try_schedule(row: Row, tried: list[Sample]) -> Tally:
    """The rates of some steps, from an optimizer whose rate is 1."""
    tally = Tally()
    made = [variant for sample in tried[:1] for variant in special_samples(row, sample)]
    for sample in [*tried, *made[:: samples.stride]]:
        ours = outcome(partial(_torch_rates, row), lambda x: x, sample)
        theirs = outcome(partial(_jax_rates, row), lambda x: x, sample)
        tally.add(
            sample.kind or "steps",
            text_of(sample),
            of_trial(sample.kind, jax_calls.differences(ours, theirs)),
        )
    return tally


def _torch_rates(row: Row, *args: Any, **kwargs: Any) -> np.ndarray:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scope = namespace() | {"optimizer": optimizer}
    schedule = eval(row.source(row.expression or ""), scope)(*args, **kwargs)
    rates = []
    for _ in range(STEPS):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return np.asarray([float(array(rate)) for rate in rates], np.float32)


def _jax_rates(row: Row, *args: Any, **kwargs: Any) -> np.ndarray:
    rate = of_jax(row.name)(*args, **kwargs)
    return np.asarray([float(rate(step)) for step in range(STEPS)], np.float32)
