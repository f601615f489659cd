"""Compares a draft in another style than NNX with the program: its parts, and its steps."""

import ast
import inspect
import math
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import partial
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.draft import agreeing, comparing, restoring, stepping
from jaxvstorch._port.draft.helpers import helpers_of
from jaxvstorch._port.draft.recorded import FirstCall, Given, Steps, kept
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.same_draws import same_draws
from jaxvstorch._port.draft.styles.models import FunctionsModel, Model
from jaxvstorch._port.draft.styles.writing import state_of
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.running.values import array, to_jax


def compare_part(draft: ModuleType, call: FirstCall, recording: Recording) -> str:
    """Compare the draft of a function or module with the original; the result in words."""
    taken = comparing.arrays_of(call)
    if isinstance(taken, str):
        return taken
    inputs, with_values = taken
    if isinstance(call.function, torch.nn.Module):
        in_jax, in_torch, state = _module_functions(draft, call, with_values, recording)
        inputs, differentiable = (*state, *inputs), bool(state[0].size)
    else:
        function, differentiable = call.function, False
        drafted = getattr(draft, call.name)
        key = {"key": jax.random.key(0)} if "key" in inspect.signature(drafted).parameters else {}

        def in_jax(*values: Any) -> Any:
            args, kwargs = with_values(values)
            return comparing.plain(drafted(*args, **kwargs, **key), jnp.float32)

        def in_torch(*values: Any) -> Any:
            args, kwargs = with_values([comparing.long(v) for v in values])
            return comparing.plain(function(*args, **kwargs), torch.tensor)

    drawing = comparing.drawing
    return agreeing.compared(drawing(in_jax), drawing(in_torch), inputs, differentiable)


def made(
    draft: ModuleType, module: torch.nn.Module, given: Given | None, recording: Recording
) -> Model:
    """The draft's model for one of the program's, in its mode.

    Raises:
        LookupError: it is not known what the module was made with.
    """
    if given is None:
        raise LookupError("it was not seen to be made")

    def setting(value: Any) -> Any:
        own = getattr(draft, type(value).__name__, None)
        if is_dataclass(value) and is_dataclass(own):  # the draft's has a hash
            return _copied(value, own)
        if isinstance(value, torch.nn.Module):
            raise LookupError(f"it was made with a {type(value).__name__}")
        if isinstance(value, type) and issubclass(value, torch.nn.Module):
            return getattr(draft, value.__name__, value)
        return to_jax(value) if isinstance(value, torch.Tensor | torch.dtype) else kept(value)

    args, kwargs = jax.tree.map(setting, (given.args, given.kwargs))
    if recording.functions:
        return FunctionsModel(draft, module, args, kwargs, recording)
    from jaxvstorch._port.draft.styles.equinox_models import EquinoxModel  # where it is installed

    return EquinoxModel(draft, module, args, kwargs)


def _copied(value: Any, cls: Any) -> Any:
    """An object of a dataclass of the draft, with the values of the program's."""
    new = object.__new__(cls)
    vars(new).update(vars(value))
    return new


def _module_functions(
    draft: ModuleType, call: FirstCall, with_values: Callable[[Any], Any], recording: Recording
) -> tuple[Callable[..., Any], Callable[..., Any], tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Both modules as functions of their weights, as one vector, and of their buffers."""
    module: Any = call.function
    buffers = {n: array(x) for n, x in module.named_buffers() if x.is_floating_point()}
    weights = {name: array(value) for name, value in module.named_parameters()}
    flat = [value.ravel() for value in weights.values()] or [np.zeros(0, np.float32)]
    every = {n: array(x) for n, x in module.state_dict().items()}
    first = {id(x): n for n, x in [*module.named_parameters(), *module.named_buffers()]}
    holders = [*module.named_parameters(remove_duplicate=False),
               *module.named_buffers(remove_duplicate=False)]  # fmt: skip
    same = {name: first[id(x)] for name, x in holders}
    model = made(draft, module, call.made_with, recording)

    def named(vector: Any, values: dict[str, Any]) -> dict[str, Any]:
        state, begin = dict(values), 0
        for name, value in weights.items():
            state[name] = vector[begin : begin + value.size].reshape(value.shape)
            begin += math.prod(value.shape)
        return state

    def in_jax(vector: Any, values: Any, *inputs: Any) -> Any:
        args, kwargs = with_values(inputs)
        state = named(vector, values)
        own = every | {n: state[same[n]] for n in every if same.get(n) in state}
        return comparing.plain(model.loaded(own, vector.dtype).called(*args, **kwargs))

    def in_torch(vector: Any, values: Any, *inputs: Any) -> Any:
        args, kwargs = with_values([comparing.long(x) for x in inputs])
        state = named(vector, {name: value.clone() for name, value in values.items()})
        return comparing.plain(torch.func.functional_call(module, state, args, kwargs))

    return in_jax, in_torch, (np.concatenate(flat), buffers)


def compare_steps(draft: ModuleType, steps: Steps, recording: Recording) -> tuple[str, str]:
    """The name of the draft's step, and the result of comparing it."""
    assert steps.drafted is not None
    return steps.drafted.name, stepping.tried(lambda wide: _compared(draft, steps, recording, wide))


def _compared(draft: ModuleType, steps: Steps, recording: Recording, wide: bool) -> str:
    drafted = steps.drafted
    assert drafted is not None
    if drafted.update or len(drafted.models) > 1:
        raise LookupError(
            "it is a step of several models or functions, which is not compared in this style"
        )
    modules, optimizer = stepping.begun(steps)
    (name,), (module,) = modules.keys(), modules.values()
    if wide:
        stepping.set_wide(modules.values(), optimizer)
    dtype = jnp.float64 if wide else jnp.float32
    with jax.enable_x64(wide):
        call = recording.first_calls.get(type(module).__name__)
        model = made(draft, module, call.made_with if call is not None else None, recording)
        model = model.loaded(module.state_dict(), dtype)
        given = {"key": jax.random.key(0), **model.named(name)}
        if optimizer is not None:
            given |= _optimizer(draft, steps, recording, model, dtype)
        function = getattr(draft, drafted.name)
        parameters = inspect.signature(function).parameters
        changed = recording.changed[drafted.name]
        largest: dict[str, torch.Tensor] = {}
        torch_losses, jax_losses, drew = list[float](), list[float](), False
        for i, arrays in enumerate(steps.arrays):
            loss, drew_here = stepping.torch_step(steps, modules, optimizer, arrays, wide, i)
            torch_losses.append(loss)
            drew = drew or drew_here
            stepping.keep_largest(largest, module)
            known = given | jax.tree.map(partial(stepping._in_jax, wide), arrays)
            values = {n: stepping._value(n, known, {}, steps) for n in parameters}
            with same_draws():
                result = function(**values)
            given |= dict(zip(changed, result[-len(changed) :], strict=True))
            own = result[0]  # a loss, or a loss and what else the step returns
            jax_losses.append(float(own[0] if isinstance(own, tuple) else own))
        after = model.with_named(given, name)
        scale = max((float(g.max()) for g in largest.values()), default=0.0)
        rounding = stepping.ROUNDING if wide else stepping.NARROW_ROUNDING
        state = module.state_dict()
        rounded = {n: (g <= rounding * scale).to(g) for n, g in largest.items()}
        expected = after.loaded(state, dtype).arrays()
        marks = after.loaded({n: torch.zeros_like(v) for n, v in state.items()} | rounded, dtype)
        worst, what = stepping._gap(np.asarray(torch_losses), np.asarray(jax_losses)), "the loss"
        for (path, a), (_, b), (_, mark) in zip(
            expected, after.arrays(), marks.arrays(), strict=True
        ):
            b = np.where(np.asarray(mark) == 1, np.asarray(a), np.asarray(b))
            if (gap := stepping._gap(np.asarray(a), b)) > worst:
                worst, what = gap, f"{name}{path}"
    return stepping.in_words(worst, what, len(jax_losses), optimizer, drew, wide, drafted)


def _optimizer(
    draft: ModuleType, steps: Steps, recording: Recording, model: Model, dtype: Any
) -> dict[str, Any]:
    """The draft's optimizer and its state, by their names."""
    assert steps.drafted is not None
    name = steps.drafted.optimizer
    made = restoring.seen_optimizer(steps, recording)
    tx = eval(_transformation(made.drafted), _names(draft, made.namespace))
    state = tx.init(model.weights())
    if "learning_rate" in getattr(state, "hyperparams", {}):
        rate = steps.before[name].param_groups[0]["lr"]
        state.hyperparams["learning_rate"] = jnp.asarray(rate, dtype)
    return {name: tx, state_of(name): state}


def _transformation(text: str) -> str:
    """The text of optax's part of an optimizer of NNX."""
    made = ast.parse(text, mode="eval").body
    assert isinstance(made, ast.Call)
    return ast.unparse(made.args[1])


def _names(draft: ModuleType, program: dict[str, Any]) -> dict[str, Any]:
    functions = {n: v for n, v in vars(draft).items() if callable(v) or inspect.ismodule(v)}
    return {**namespace(), **program, **functions, "paste": helpers_of(vars(draft))}
