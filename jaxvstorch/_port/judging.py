"""Does one call of PyTorch again in JAX on the same values, and compares the results."""

import ast
from collections.abc import Callable, Iterator
from functools import cache, reduce
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import Call, flat
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.modules import in_jax
from jaxvstorch._port.map.running.namespace import Weights, namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, leaves, to_jax
from jaxvstorch._port.outcome import Outcome, compare_results, size_of_terms
from jaxvstorch._port.report_data import PortStatus

# They need the values themselves, which `jax.jit` does not have.
_DATA_DEPENDENT = frozenset({
    "torch.nonzero", "torch.argwhere", "torch.unique", "torch.unique_consecutive",
    "torch.masked_select", "Tensor.item", "Tensor.tolist",
})  # fmt: skip
ASSIGN = "changes its array: assign the result"
OF_VALUES = "its result depends on values: it does not run under jax.jit as it is"
TIED_INDICES = "the values are the same, but the order of equal elements differs"
STABLE = "equal values come in another order: JAX's order is that of stable=True"
_LEFT_OUT = "leave out empty one-dimensional arrays: PyTorch skips them, and JAX does not"
_NESTED = "nested tensors are left out: pad them to one shape, and mask the padding"
_SPARSE = "replayed with dense arrays: those of jax.experimental.sparse are experimental"
_AUTOCAST = "autocast runs it in {0}: cast what it takes, .astype(jnp.{0})"
_AUTOCAST_LAYER = "autocast runs it in {0}: give the layer dtype=jnp.{0}"
_LOW = (torch.float32, torch.bfloat16, torch.float16)
_CASTS = frozenset({
    "Tensor.to", "Tensor.type", "Tensor.type_as", "Tensor.float", "Tensor.double", "Tensor.half",
    "Tensor.bfloat16",
})  # fmt: skip
_NEEDS_KEY = Outcome(PortStatus.RANDOM, "pass a key")


def judge(name: str, call: Call, result: Any) -> Outcome:
    """Do a function's call again in JAX, and compare the results.

    Args:
        name: of the function, in the map or not.
        call: its arguments, as they were before it.
        result: PyTorch's result.
    """
    tensors = [x for x in flat((call.args, call.kwargs, result)) if isinstance(x, torch.Tensor)]
    if any(x.is_nested for x in tensors):
        return Outcome(PortStatus.FAILED, _NESTED)
    if any(map(_is_sparse, tensors)):
        dense = Call(call.function, _dense(call.args), _dense(call.kwargs))
        outcome = judge(name, dense, _dense(result))
        compared = outcome.status in (PortStatus.VERIFIED, PortStatus.DIFFERS)
        return outcome.with_notes(_SPARSE if compared else "")
    if name == "Tensor.__setitem__":
        return _judge_assignment(call)
    if name not in rows():
        return Outcome(PortStatus.UNKNOWN)
    row = meaning(rows()[name])
    if row.expression is None:
        return Outcome(PortStatus.ANOTHER_WAY, row.option("instead") or "")
    if (dtype := _autocast_dtype(row, (call.args, call.kwargs), result)) is not None:
        cast = Call(call.function, *_cast((call.args, call.kwargs), dtype))
        with torch.autocast(_device(result), enabled=False):
            return judge(name, cast, result).with_notes(_AUTOCAST.format(_name(dtype)))
    call = _gathered(row, call)
    if row.name == "torch.cat" and (kept := _not_skipped(call)):
        outcome = judge(name, Call(call.function, (kept, *call.args[1:]), call.kwargs), result)
        verified = outcome.status == PortStatus.VERIFIED
        return Outcome(PortStatus.ANOTHER_WAY, _LEFT_OUT) if verified else outcome
    try:
        args, kwargs = jax_arguments(row, call)
        jax_result = _jax_function(name)(*args, **kwargs)
    except RefusedError as refusal:
        drops = "dropout" in str(refusal)  # with 0 it is not refused
        return _NEEDS_KEY if drops else Outcome(PortStatus.REFUSED, str(refusal))
    except Exception as error:
        return _NEEDS_KEY if row.draws else Outcome(PortStatus.FAILED, _reason(error))
    terms = size_of_terms(row.name, (*call.args, *call.kwargs.values()))
    outcome = compare_results(result, jax_result, terms)
    if outcome.status == PortStatus.DIFFERS and row.draws and _is_alike(result, jax_result):
        return _NEEDS_KEY
    if outcome.status == PortStatus.DIFFERS and _is_tied(row, call, result):
        outcome = outcome._replace(note=STABLE)
    topk = outcome.status == PortStatus.DIFFERS and row.name == "torch.topk"
    if topk and compare_results(result[0], jax_result[0]).status == PortStatus.VERIFIED:
        outcome = outcome._replace(note=TIED_INDICES)
    return outcome.with_notes(*_notes(name, row, call))


def _is_alike(result: Any, jax_result: Any) -> bool:
    """Whether results have the same shapes, as other random numbers have."""
    shapes = [[getattr(x, "shape", ()) for x in leaves(r)] for r in (result, jax_result)]
    return [tuple(s) for s in shapes[0]] == [tuple(s) for s in shapes[1]]


def _autocast_dtype(row: Row, values: Any, result: Any) -> torch.dtype | None:
    """The dtype that autocast casts a call's arrays to; None where it does not.

    Args:
        row: of the function or module.
        values: the arrays that it takes.
        result: PyTorch's result.
    """
    device = _device(result)
    if not torch.amp.is_autocast_available(device) or row.name in _CASTS:
        return None
    if not torch.is_autocast_enabled(device):
        return None
    results, taken = ([x.dtype for x in flat(value) if _is_low(x)] for value in (result, values))
    if not results or not taken:
        return None
    dtype: torch.dtype = results[0]
    return None if dtype == reduce(torch.promote_types, taken) else dtype


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The same containers with what a function makes of each value."""
    if isinstance(value, dict):
        return {key: mapped(function, item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(mapped(function, item) for item in value)
    return function(value)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    """The same containers with the arrays that autocast may cast in a dtype."""
    return mapped(lambda x: x.to(dtype) if _is_low(x) else x, value)


def _dense(value: Any) -> Any:
    return mapped(lambda x: x.to_dense() if _is_sparse(x) else x, value)


def _is_sparse(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and str(value.layout).startswith("torch.sparse")


def _is_low(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in _LOW


def _device(result: Any) -> str:
    return next((x.device.type for x in flat(result) if isinstance(x, torch.Tensor)), "cpu")


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _notes(name: str, row: Row, call: Call) -> Iterator[str]:
    in_place = name.endswith("_") and not name.endswith("__")  # as add_ is
    if in_place or call.kwargs.get("inplace") or call.kwargs.get("out") is not None:
        yield ASSIGN
    if row.name in _DATA_DEPENDENT or _indexes_with_mask(row, call):
        yield OF_VALUES


def _judge_assignment(call: Call) -> Outcome:
    """Whether ``x.at[i].set(v)`` gives what PyTorch's assignment made of a copy."""
    x, indices, value = call.args
    copy = x.detach().clone()
    copy[indices] = value
    try:
        jax_result = to_jax(x).at[to_jax(indices)].set(to_jax(value))
    except Exception as error:
        return Outcome(PortStatus.FAILED, error_text(error))
    return compare_results(copy, jax_result).with_notes(ASSIGN)


@cache
def _jax_function(name: str) -> Callable[..., Any]:
    row = meaning(rows()[name])
    function: Callable[..., Any] = eval(row.source(row.expression or ""), namespace())
    return function


def _reason(error: Exception) -> str:
    if "doesn't have storage" in str(error):
        return "inside a transformation of torch.func a tensor's values cannot be read"
    return error_text(error)


def _not_skipped(call: Call) -> list[torch.Tensor]:
    """The arrays that ``torch.cat`` puts together, where it skips others."""
    arrays = call.args[0] if call.args else []
    kept = [x for x in arrays if x.shape != (0,)]
    return kept if len(kept) < len(arrays) and any(x.ndim > 1 for x in kept) else []


def _gathered(row: Row, call: Call) -> Call:
    """A call with its arguments as the map has them.

    In ``x.permute(0, 2, 1)`` the numbers are one argument, and ``size=`` those of a ``*size``.
    PyTorch's functions in Python pass None on for what was not given.
    """
    if row.made is None:
        return call
    parameters = _parameters(row.made)
    args, kwargs, count = call.args, row.own_names(call.kwargs), len(parameters.args)
    kwargs = {k: v for k, v in kwargs.items() if v is not None or _takes_none(row, k)}
    if parameters.vararg is not None:
        args += tuple(kwargs.pop(parameters.vararg.arg, ()))
    elif 0 < count < len(args):
        args = (*args[: count - 1], args[count - 1 :])
    return Call(call.function, args, kwargs)


def _takes_none(row: Row, name: str) -> bool:
    default = row.parameters.get(name)
    return default is None or ast.unparse(default) == "None"


def _indexes_with_mask(row: Row, call: Call) -> bool:
    if row.name != "Tensor.__getitem__":
        return False
    indices = call.args[1] if isinstance(call.args[1], tuple) else (call.args[1],)
    return any(isinstance(i, torch.Tensor) and i.dtype == torch.bool for i in indices)


def _is_tied(row: Row, call: Call, result: object) -> bool:
    """Whether a sort differs from a stable one only in the order of equal values."""
    x = call.args[0] if call.args else None
    if row.name not in ("torch.sort", "torch.argsort") or not isinstance(x, torch.Tensor):
        return False
    options = dict(zip(("dim", "descending"), call.args[1:], strict=False)) | call.kwargs
    stable = torch.argsort(x, **options | {"stable": True})
    order, dim = leaves(result)[-1], options.get("dim", -1)
    by_both = [torch.take_along_dim(x, indices, dim) for indices in (order, stable)]
    return torch.equal(*by_both) and not torch.equal(order, stable)


def judge_module(row: Row, module: torch.nn.Module, call: Call, result: Any) -> Outcome:
    """Do a call of one of the map's modules again in JAX, and compare the results."""
    averages = _updates_averages(module)
    weights = dict(module.state_dict())
    dtype = _autocast_dtype(row, (weights, call.args, call.kwargs), result)
    if dtype is not None:
        weights = _cast(weights, dtype)
        call = Call(call.function, *_cast((call.args, call.kwargs), dtype))
    kept = [n for n in weights if not (averages and n.startswith("running_"))]
    construction = Call(type(module), (), settings_of(row, module))
    text = row.option("plain") or row.expression or ""
    try:
        state = Weights({name: to_jax(weights[name]) for name in kept})
        jax_result = in_jax(row, text, state, (construction, call))
    except RefusedError as refusal:
        return Outcome(PortStatus.REFUSED, str(refusal))
    except Exception as error:
        return Outcome(PortStatus.FAILED, _reason(error))
    outcome = compare_results(result, jax_result)
    drops = "Dropout" in row.name or bool(getattr(module, "dropout", 0))  # a recurrent module's
    if outcome.status == PortStatus.DIFFERS and module.training and drops:
        return _NEEDS_KEY
    return outcome.with_notes(
        "it updates its running averages: use the returned state" if averages else "",
        "" if dtype is None else _AUTOCAST_LAYER.format(_name(dtype)),
    )


def _updates_averages(module: torch.nn.Module) -> bool:
    """Whether a module normalizes by a batch's mean and variance, and averages them."""
    return module.training and getattr(module, "running_mean", None) is not None


def settings_of(row: Row, module: torch.nn.Module) -> dict[str, Any]:
    """The arguments that a module was made with, as far as it still knows them."""
    parameters = _parameters(row.made or "")
    settings: dict[str, Any] = {}
    for name in [a.arg for a in [*parameters.args, *parameters.kwonlyargs]]:
        value = getattr(module, name, None)
        if name == "bias":
            settings[name] = value is not None and value is not False
        elif hasattr(module, name):
            settings[name] = value
    return settings


def _parameters(made: str) -> ast.arguments:
    function = ast.parse(f"lambda {made}: 0", mode="eval").body
    assert isinstance(function, ast.Lambda)
    return function.args
