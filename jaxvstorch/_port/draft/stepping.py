"""Takes a program's first steps again in PyTorch and by the draft, and compares what they leave."""

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from flax import nnx
from torch.overrides import TorchFunctionMode

from jaxvstorch._port.draft.making import new_layer
from jaxvstorch._port.draft.recorded import DraftedStep, Steps, deeply_copied
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.restoring import drafted_module, drafted_optimizer, freeze
from jaxvstorch._port.draft.same_draws import same_draws
from jaxvstorch._port.map.running.call import copied
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.values import array

# Of the largest number of an array, in float64 and in float32.
TOLERANCE, NARROW = 1e-6, 1e-3
# A gradient below this part of the largest is only roundings, such as that of a key's bias. Adam
# divides them by themselves, and steps as far as anywhere.
ROUNDING, NARROW_ROUNDING = 1e-10, 1e-6


def compare_steps(draft: ModuleType, steps: Steps, recording: Recording) -> tuple[str, str]:
    """The name of the draft's step, and the result of comparing it.

    Both begin with the same weights, take the batches of the program's first steps, and draw the
    same random numbers, in float64.
    """
    assert steps.drafted is not None
    return steps.drafted.name, tried(lambda wide: _compared(draft, steps, recording, wide))


def tried(compared: Callable[[bool], str]) -> str:
    """The result of a comparison in float64, or in float32 where the program casts to it."""
    try:
        try:
            return compared(True)
        except RuntimeError as error:
            if "dtype" not in str(error):
                raise
            return compared(False)
    except LookupError as error:
        return f"not compared: {error.args[0]}"
    except Exception as error:
        return f"cannot be compared: {error_text(error)}"


def _compared(draft: ModuleType, steps: Steps, recording: Recording, wide: bool) -> str:
    drafted = steps.drafted
    assert drafted is not None
    modules, optimizer = begun(steps)
    if wide:
        set_wide(modules.values(), optimizer)
    with jax.enable_x64(wide):
        models = {n: drafted_module(draft, m, recording, wide) for n, m in modules.items()}
        for name, module in modules.items():
            freeze(draft, module, models[name], recording, wide)
        given = {"rngs": nnx.Rngs(0), **models}
        if optimizer is not None:
            given[drafted.optimizer] = drafted_optimizer(draft, steps, recording, models, wide)
        largest: dict[str, dict[str, torch.Tensor]] = {n: {} for n in modules}
        torch_losses, jax_losses, drew, wrong = list[float](), list[float](), False, 0.0
        narrowing = _Narrowing()
        given |= {"grads": None} if drafted.update else {}
        for i, arrays in enumerate(steps.arrays):
            with narrowing:
                loss, drew_here = torch_step(steps, modules, optimizer, arrays, wide, i)
            torch_losses.append(loss)
            drew = drew or drew_here
            given_arrays = jax.tree.map(partial(_in_jax, wide), arrays)
            values = [_value(n, given, given_arrays, steps) for n in drafted.parameters]
            for name, module in modules.items():
                keep_largest(largest[name], module)
            with same_draws():
                result = getattr(draft, drafted.name)(*values)
            jax_losses.append(float(result[0] if isinstance(result, tuple) else result))
            if drafted.returns and optimizer is not None:
                trained = [given[name] for name in drafted.returns]
                whole = trained[0] if len(trained) == 1 else nnx.List(trained)
                given[drafted.optimizer].update(whole, result[-1])
            elif drafted.returns:
                grads = result[-1] if len(drafted.returns) > 1 else (result[-1],)
                for name, of in zip(drafted.returns, grads, strict=True):
                    expected = drafted_module(
                        draft, modules[name], recording, wide, _gradients(modules[name])
                    )
                    leaves = jax.tree.leaves(nnx.state(expected, nnx.Param))
                    for a, b in zip(leaves, jax.tree.leaves(of), strict=True):
                        wrong = max(wrong, _gap(np.asarray(a), np.asarray(b)))
            if drafted.update:
                given["grads"] = result[-1]
                if i == len(steps.arrays) - 1:
                    own = [_value(n, given, given_arrays, steps) for n in drafted.update_takes]
                    getattr(draft, drafted.update)(*own)
        count = len(jax_losses)
        gap = _gap(np.asarray(torch_losses), np.asarray(jax_losses))

        def compared_weights(rounding: float) -> tuple[float, str]:
            gaps = _gaps(draft, steps, recording, modules, models, largest, wide, rounding)
            return max([(gap, "the loss"), (wrong, "a gradient"), *gaps])

        worst, what = compared_weights(ROUNDING if wide else NARROW_ROUNDING)
        coarse = wide and worst > TOLERANCE and narrowing.seen
        if coarse:
            worst, what = compared_weights(NARROW_ROUNDING)
    return in_words(worst, what, count, optimizer, drew, wide, drafted, coarse)


def in_words(
    worst: float, what: str, count: int, optimizer: Any, drew: bool, wide: bool,
    drafted: DraftedStep, coarse: bool = False,
) -> str:  # fmt: skip
    """The result of comparing steps, by the largest difference and what it is of.

    ``coarse`` says whether parts computed in float32.
    """
    of = f"after {count} step{'s' * (count > 1)}"
    if drafted.update:
        of = f"after a step with the gradients of {count} call{'s' * (count > 1)} added up,"
    if drafted.returns and optimizer is None:
        of = f"in {count} call{'s' * (count > 1)}"
    elif optimizer is None:
        of += " by hand"
    of += f" of torch.optim.{type(optimizer).__name__}" if optimizer is not None else ""
    if optimizer is not None and len(optimizer.param_groups) > 1:
        of += f" with its {len(optimizer.param_groups)} groups of weights"
    off = ", with the same random numbers" if drew else ""
    if worst <= (TOLERANCE if wide and not coarse else NARROW):
        dtype = "float64, with parts in " * coarse + "float32, which the program casts to"
        dtype = "float64" if wide and not coarse else dtype
        later = [f"; {name} is compared in the step that trains it" for name in drafted.copied]
        bare = drafted.returns and optimizer is None
        compared = "losses and gradients" if bare else "losses, weights and buffers"
        return f"at parity: {compared} {of}{off}, in {dtype}{''.join(later)}"
    return f"not at parity: {what} differs by {worst:.1e} of its size {of}{off}"


class _Narrowing(TorchFunctionMode):
    """Sees whether a step in float64 makes arrays of float32 too."""

    seen = False

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **kwargs or {})
        self.seen = self.seen or getattr(result, "dtype", None) is torch.float32
        return result


def _gaps(
    draft: ModuleType,
    steps: Steps,
    recording: Recording,
    modules: Any,
    models: Any,
    largest: dict[str, dict[str, torch.Tensor]],
    wide: bool,
    rounding: float,
) -> Iterator[tuple[float, str]]:
    """How far each array of the draft's modules is from PyTorch's, and its name."""
    assert steps.drafted is not None
    scale = max((float(g.max()) for per in largest.values() for g in per.values()), default=0.0)
    for name in [name for name in modules if name not in steps.drafted.copied]:
        expected = drafted_module(draft, modules[name], recording, wide)
        rounded = {n: (g <= rounding * scale).to(g) for n, g in largest[name].items()}
        skipped = drafted_module(draft, modules[name], recording, wide, rounded)
        parts = map(_arrays, (expected, models[name], skipped))
        for (path, a), (_, b), (_, skip) in zip(*parts, strict=True):
            kept = np.where(np.asarray(skip) == 1, np.asarray(a), np.asarray(b))
            yield _gap(np.asarray(a), kept), f"{name}.{path}"


def begun(steps: Steps) -> tuple[dict[str, torch.nn.Module], Any]:
    """Copies of the modules and of the optimizer, if there is one, before the first step.

    Raises:
        LookupError: they cannot begin again.
    """
    drafted = steps.drafted
    assert drafted is not None
    if missing := {*drafted.models, drafted.optimizer} - {*steps.before, ""}:
        raise LookupError(f"{missing.pop()} could not be copied")
    before = deeply_copied(steps.before)
    optimizer = before.get(drafted.optimizer)
    if optimizer is not None and any(optimizer.state.values()):
        raise LookupError("its optimizer cannot be begun again")
    return {n: before[n] for n in drafted.models}, optimizer


def _gap(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two arrays, as a part of the largest number."""
    size = np.abs(a).max(initial=0.0)
    return float(np.abs(a - b).max(initial=0.0) / (size or 1.0))


def set_wide(modules: Any, optimizer: Any) -> None:
    """Let modules, and an optimizer's weights, compute in float64."""
    for module in modules:
        module.double()
    for group in optimizer.param_groups if optimizer is not None else ():
        for p in group["params"]:
            p.data, p.grad = p.data.double(), None


def _in_jax(wide: bool, value: Any) -> Any:
    return jnp.asarray(array(value.double() if wide and value.dtype == torch.float32 else value))


def keep_largest(largest: dict[str, torch.Tensor], module: torch.nn.Module) -> None:
    """Keep the largest size that each number of a gradient had; tied weights under each name."""
    for name, gradient in _gradients(module).items():
        largest[name] = torch.maximum(largest.get(name, gradient.abs()), gradient.abs())


def _gradients(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {
        name: torch.zeros_like(weight) if weight.grad is None else weight.grad
        for name, weight in module.named_parameters(remove_duplicate=False)
    }


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
    value = steps.namespace[name]
    return new_layer(value, {}) if isinstance(value, torch.nn.Module) else value


def torch_step(
    steps: Steps, modules: Any, optimizer: Any, arrays: dict[str, Any], wide: bool, number: int
) -> tuple[float, bool]:
    """One step in PyTorch, by the program's own lines: its loss, and whether it drew numbers.

    Where gradients are added up, only the last of all steps changes the weights.

    Raises:
        LookupError: it draws random numbers that cannot be the same in JAX.
    """
    drafted = steps.drafted
    assert drafted is not None
    given = copied(arrays)
    if wide:
        given = jax.tree.map(lambda x: x.double() if x.dtype == torch.float32 else x, given)
    names = steps.namespace | modules | {drafted.optimizer: optimizer} | given
    adds_up = (drafted.optimizer or drafted.models[0]) in steps.adding
    if drafted.update:
        adds_up = number > 0
    for module in modules.values():
        if not adds_up:
            module.zero_grad()
    dtype = torch.get_default_dtype()  # of what the lines make, such as noise
    torch.set_default_dtype(torch.float64 if wide else dtype)
    try:
        with same_draws() as numbers:
            exec(drafted.source, names)
    finally:
        torch.set_default_dtype(dtype)
    if numbers.other:
        raise LookupError(f"it draws by torch.{numbers.other[0]}")
    if drafted.update and number < len(steps.arrays) - 1:
        return float(names["loss_of_step"].item()), numbers.count > 0
    exec(drafted.changes, names)
    if optimizer is not None:
        optimizer.step()
    return float(names["loss_of_step"].item()), numbers.count > 0
