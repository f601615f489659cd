"""Makes the draft's modules and optimizers as the program's were before its first step."""

import inspect
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import torch
from flax import nnx

from jaxvstorch._pairs.source import names_read
from jaxvstorch._port.draft.comparing import made
from jaxvstorch._port.draft.helpers import helpers_of
from jaxvstorch._port.draft.making import new_layer
from jaxvstorch._port.draft.recorded import FirstCall, MadeOptimizer, Steps
from jaxvstorch._port.draft.recording import Recording
from jaxvstorch._port.draft.seen import layer_name
from jaxvstorch._port.map.running.namespace import namespace


def drafted_module(
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
    helpers_of(vars(draft)).from_torch(new, module.state_dict() | (others or {}))
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


def drafted_optimizer(
    draft: ModuleType, steps: Steps, recording: Recording, models: dict[str, Any], wide: bool
) -> Any:
    """The draft's optimizer, by the draft's own method or expression that makes it.

    Args:
        draft: the draft.
        steps: the program's, whose optimizer it is.
        recording: of the program's run.
        models: the draft's modules, by their names at the step.
        wide: whether they are of float64.

    Raises:
        LookupError: it was not seen to be made, or is not drafted.
    """
    assert steps.drafted is not None
    optimizer = seen_optimizer(steps, recording)
    counterparts: dict[int, Any] = {}
    for name, model in models.items():
        module = steps.namespace[name]
        counterparts |= {id(module): model, **_weights(draft, module, model, recording, wide)}
    given = set().union(*optimizer.groups)

    def in_draft(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [in_draft(v) for v in value]
        if isinstance(value, dict):  # PyTorch writes further settings into a group
            group = "params" in value
            kept = {k: v for k, v in value.items() if not group or k in {"params", *given}}
            return {k: in_draft(v) for k, v in kept.items()}
        return counterparts.get(id(value), value)

    made = _made_optimizer(draft, optimizer, in_draft)
    hyperparams = getattr(made.opt_state, "hyperparams", {})
    if "learning_rate" in hyperparams:  # what a program has set before its first step
        rate = steps.before[steps.drafted.optimizer].param_groups[0]["lr"]
        hyperparams["learning_rate"][...] = jnp.asarray(rate, float if wide else jnp.float32)
    return made


def seen_optimizer(steps: Steps, recording: Recording) -> MadeOptimizer:
    """The optimizer of steps, with the draft's expression for it.

    Raises:
        LookupError: it was not seen to be made, or is not drafted.
    """
    assert steps.drafted is not None
    original = steps.namespace[steps.drafted.optimizer]
    seen = [m for several in recording.optimizers.values() for m in several]
    optimizer = next((m for m in seen if m.optimizer is original), None)
    if optimizer is None or not optimizer.drafted:
        raise LookupError("how its optimizer is made is not drafted")
    return optimizer


def _made_optimizer(draft: ModuleType, optimizer: MadeOptimizer, in_draft: Any) -> Any:
    method, names = _method(optimizer, in_draft)
    if method is not None:
        made_by_method = method(**{n: in_draft(optimizer.namespace[n]) for n in names})
        if isinstance(made_by_method, nnx.Optimizer):
            return made_by_method
    read = names_read(optimizer.drafted) & optimizer.namespace.keys()
    program = {name: in_draft(optimizer.namespace[name]) for name in read}
    functions = {n: v for n, v in vars(draft).items() if callable(v) or inspect.ismodule(v)}
    known = {**namespace(), **program, **functions, "paste": helpers_of(vars(draft))}
    return eval(optimizer.drafted, known)


def _method(optimizer: MadeOptimizer, in_draft: Any) -> tuple[Any, tuple[str, ...]]:
    """The draft's method for that in which an optimizer was made, and the names it takes."""
    name, arguments = optimizer.function
    owner = in_draft(optimizer.namespace[arguments[0]]) if arguments else None
    is_method = isinstance(owner, nnx.Module) and arguments[0] == "self" and name != "__init__"
    return getattr(owner, name, None) if is_method else None, arguments[1:]


def _weights(
    draft: ModuleType, module: torch.nn.Module, model: Any, recording: Recording, wide: bool
) -> dict[int, Any]:
    """The draft's variable for each weight of a module, by the identity of PyTorch's.

    ``from_torch`` carries the number of each weight over, in place of its values.
    """
    named = dict(module.named_parameters(remove_duplicate=False))
    numbers = {name: torch.full_like(p, n) for n, (name, p) in enumerate(named.items())}
    numbered = drafted_module(draft, module, recording, wide, numbers)
    order = list(named.values())
    pairs = zip(_variables(numbered), _variables(model), strict=True)
    return {id(order[int(a[...].ravel()[0])]): b for a, b in pairs}


def freeze(
    draft: ModuleType, module: torch.nn.Module, model: Any, recording: Recording, wide: bool
) -> None:
    """Let the weights of a draft's module stay as they are, where the program's do."""
    if all(p.requires_grad for p in module.parameters()):
        return
    variables = _weights(draft, module, model, recording, wide)
    for p in module.parameters():
        variables[id(p)].set_metadata(requires_grad=p.requires_grad)


def _variables(module: Any) -> list[Any]:
    state = nnx.state(module, nnx.Param)
    return jax.tree.leaves(state, is_leaf=lambda part: isinstance(part, nnx.Param))
