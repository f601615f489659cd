"""Takes a program's first steps again in PyTorch and by the draft, and compares what they leave."""

from functools import partial
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from flax import nnx

from jaxvstorch._port.draft.comparing import made
from jaxvstorch._port.draft.making import new_layer
from jaxvstorch._port.draft.recorded import FirstCall, Steps, deeply_copied
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.same_draws import same_draws
from jaxvstorch._port.draft.seen import layer_name
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.values import array
from jaxvstorch._port.optimizer_steps import optax_optimizer

# Of the largest number of an array, in float64 and in float32.
TOLERANCE, NARROW = 1e-6, 1e-3
# A gradient below this part of the largest is only roundings, such as that of a key's bias. Adam
# divides them by themselves, and steps as far as anywhere.
ROUNDING = 1e-10


def compare_steps(draft: ModuleType, steps: Steps, recording: Recording) -> tuple[str, str]:
    """The name of the draft's step, and the result of comparing it.

    Both begin with the same weights, take the batches of the program's first steps, and draw the
    same random numbers, in float64.
    """
    assert steps.drafted is not None
    name = steps.drafted.name
    try:
        try:
            return name, _compared(draft, steps, recording, wide=True)
        except RuntimeError as error:
            if "dtype" not in str(error):
                raise
            return name, _compared(draft, steps, recording, wide=False)
    except LookupError as error:
        return name, f"not compared: {error.args[0]}"
    except Exception as error:
        return name, f"cannot be compared: {error_text(error)}"


def _compared(draft: ModuleType, steps: Steps, recording: Recording, wide: bool) -> str:
    drafted = steps.drafted
    assert drafted is not None
    modules, optimizer, row = begun(steps)
    groups = optimizer.param_groups
    if wide:
        set_wide(modules.values(), groups)
    with jax.enable_x64(wide):
        models = {n: _drafted(draft, m, recording, wide) for n, m in modules.items()}
        tx = optax_optimizer(row, groups[0])
        whole = next(iter(models.values())) if len(models) == 1 else nnx.List(models.values())
        stepped = nnx.Optimizer(whole, tx, wrt=nnx.Param)
        given = {drafted.optimizer: stepped, "rngs": nnx.Rngs(0), **models}
        largest: dict[str, dict[str, torch.Tensor]] = {n: {} for n in modules}
        torch_losses, jax_losses, drew = list[float](), list[float](), False
        for arrays in steps.arrays:
            loss, drew_here = torch_step(steps, modules, optimizer, arrays, wide)
            torch_losses.append(loss)
            drew = drew or drew_here
            given_arrays = jax.tree.map(partial(_in_jax, wide), arrays)
            values = [_value(n, given, given_arrays, steps) for n in drafted.parameters]
            for name, module in modules.items():
                keep_largest(largest[name], module)
            with same_draws():
                result = getattr(draft, drafted.name)(*values)
            jax_losses.append(float(result[0] if isinstance(result, tuple) else result))
        scale = max((float(g.max()) for per in largest.values() for g in per.values()), default=0.0)
        count = len(jax_losses)
        worst = _gap(np.asarray(torch_losses), np.asarray(jax_losses))
        what = "the loss"
        for name, module in modules.items():
            expected = _drafted(draft, module, recording, wide)
            rounded = {n: (g <= ROUNDING * scale).to(g) for n, g in largest[name].items()}
            skipped = _drafted(draft, module, recording, wide, rounded)
            parts = map(_arrays, (expected, models[name], skipped))
            for (path, a), (_, b), (_, skip) in zip(*parts, strict=True):
                kept = np.where(np.asarray(skip) == 1, np.asarray(a), np.asarray(b))
                if (gap := _gap(np.asarray(a), kept)) > worst:
                    worst, what = gap, f"{name}.{path}"
    of = f"after {count} step{'s' * (count > 1)} of torch.optim.{type(optimizer).__name__}"
    off = ", with the same random numbers" if drew else ""
    if worst <= (TOLERANCE if wide else NARROW):
        dtype = "float64" if wide else "float32, which the program casts to"
        return f"at parity: losses, weights and buffers {of}{off}, in {dtype}"
    return f"not at parity: {what} differs by {worst:.1e} of its size {of}{off}"


def begun(steps: Steps) -> tuple[dict[str, torch.nn.Module], Any, Row]:
    """Copies of the modules and the optimizer before the first step, and the optimizer's row.

    Raises:
        LookupError: they cannot begin again.
    """
    drafted = steps.drafted
    assert drafted is not None
    if missing := {*drafted.models, drafted.optimizer} - set(steps.before):
        raise LookupError(f"{missing.pop()} could not be copied")
    before = deeply_copied(steps.before)
    optimizer = before[drafted.optimizer]
    if len(optimizer.param_groups) > 1:
        raise LookupError("its optimizer has several groups of weights")
    row = meaning(rows()[f"torch.optim.{type(optimizer).__name__}"])
    if row.expression is None or any(optimizer.state.values()):
        raise LookupError("its optimizer cannot be begun again")
    return {n: before[n] for n in drafted.models}, optimizer, row


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two arrays, as a part of the largest number."""
    size = np.abs(a).max(initial=0.0)
    return float(np.abs(a - b).max(initial=0.0) / (size or 1.0))


def set_wide(modules: Any, groups: Any) -> None:
    """Let modules, and an optimizer's groups of weights, compute in float64."""
    for module in modules:
        module.double()
    for group in groups:
        for p in group["params"]:
            p.data, p.grad = p.data.double(), None


def _in_jax(wide: bool, value: Any) -> Any:
    return jnp.asarray(array(value.double() if wide and value.dtype == torch.float32 else value))


def _drafted(
    draft: ModuleType,
    module: torch.nn.Module,
    recording: Recording,
    wide: bool,
    others: dict[str, torch.Tensor] | None = None,
) -> Any:
    """The draft's module with the weights of PyTorch's, or others by their names."""
    new = _made(draft, module, recording)
    for _, part in nnx.iter_modules(new):
        for value in vars(part).values():
            is_float = isinstance(value, nnx.Param | nnx.BatchStat) and value.dtype == jnp.float32
            if wide and is_float:
                value.set_value(value[...].astype(jnp.float64))
    draft.from_torch(new, module.state_dict() | (others or {}))
    return new


def _made(draft: ModuleType, module: torch.nn.Module, recording: Recording) -> Any:
    """The draft's module, or flax's for one of PyTorch's own, such as a sequence of modules."""
    call = recording.first_calls.get(type(module).__name__)
    if call is not None:
        return made(draft, FirstCall(call.name, module, (), made_with=call.made_with))
    if type(module) is torch.nn.Sequential:
        new = nnx.Sequential(*(_made(draft, part, recording) for part in module))
    elif layer_name(module) is not None:
        new = new_layer(module, vars(draft))
    else:
        raise LookupError(f"{type(module).__name__} is not a module of the draft")
    if isinstance(new, nnx.Module) and not module.training:
        new.eval()
    return new


def keep_largest(largest: dict[str, torch.Tensor], module: torch.nn.Module) -> None:
    """Keep the largest size that each number of a gradient had; tied weights under each name."""
    for name, weight in module.named_parameters(remove_duplicate=False):
        gradient = torch.zeros_like(weight) if weight.grad is None else weight.grad.abs()
        largest[name] = torch.maximum(largest.get(name, gradient), gradient)


def _arrays(module: Any) -> list[tuple[str, Any]]:
    state = nnx.state(module, nnx.Any(nnx.Param, nnx.BatchStat))
    return [
        (".".join(str(getattr(k, "key", getattr(k, "name", k))) for k in path[:-1]), value)
        for path, value in jax.tree_util.tree_leaves_with_path(state)
    ]


def _value(name: str, given: dict[str, Any], arrays: dict[str, Any], steps: Steps) -> Any:
    for known in (given, arrays):
        if name in known:
            return known[name]
    assert steps.drafted is not None
    value = eval(steps.drafted.fields.get(name, name), dict(steps.namespace))
    return new_layer(value, {}) if isinstance(value, torch.nn.Module) else value


def torch_step(
    steps: Steps, modules: Any, optimizer: Any, arrays: dict[str, Any], wide: bool
) -> tuple[float, bool]:
    """One step in PyTorch, by the program's own lines: its loss, and whether it drew numbers.

    Raises:
        LookupError: it draws random numbers that cannot be the same in JAX.
    """
    drafted = steps.drafted
    assert drafted is not None
    given = copied(arrays)
    if wide:
        given = jax.tree.map(lambda x: x.double() if x.dtype == torch.float32 else x, given)
    names = steps.namespace | modules | {drafted.optimizer: optimizer} | given
    optimizer.zero_grad()
    with same_draws() as numbers:
        exec(drafted.source, names)
    if numbers.other:
        raise LookupError(f"it draws by torch.{numbers.other[0]}")
    names["loss_of_step"].backward()
    exec(drafted.changes, names)
    optimizer.step()
    return float(names["loss_of_step"].item()), numbers.count > 0
