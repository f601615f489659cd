"""One call of PyTorch, done again in JAX on the same values."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch

from jaxvstorch._port.agreeing import Judged, agreed
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.modules import in_jax
from jaxvstorch._port.map.running.namespace import Weights, namespace
from jaxvstorch._port.map.running.values import RefusedError, jax_arguments, to_jax
from jaxvstorch._port.particular import (
    ASSIGN,
    LEFT_OUT,
    OF_EQUALS,
    STABLE,
    changes_its_array,
    gathered,
    masked,
    not_skipped,
    tied,
)
from jaxvstorch._port.report import PortStatus
from jaxvstorch._port.summing import size_of_terms

# How many results depend on values, so that `jax.jit` has no shape for them.
_DATA_DEPENDENT = frozenset({
    "torch.nonzero", "torch.argwhere", "torch.unique", "torch.unique_consecutive",
    "torch.masked_select", "Tensor.item", "Tensor.tolist",
})  # fmt: skip
_KEY = Judged(PortStatus.RANDOM, "pass a key")


def judge(name: str, call: Call, result: Any) -> Judged:
    """What becomes of a call of a function.

    Args:
        name: of the function, in the map or not.
        call: its arguments, as they were before it.
        result: what PyTorch gave.
    """
    if name == "Tensor.__setitem__":
        return _written(call)
    if name not in rows():
        return Judged(PortStatus.UNKNOWN)
    row = meaning(rows()[name])
    if row.expression is None:
        return Judged(PortStatus.OTHERWISE, row.option("instead") or "")
    call = gathered(row, call)
    if row.name == "torch.cat" and (kept := not_skipped(call)):
        judged = judge(name, Call(call.function, (kept, *call.args[1:]), call.kwargs), result)
        return (
            Judged(PortStatus.OTHERWISE, LEFT_OUT)
            if judged.status == PortStatus.VERIFIED
            else judged
        )
    try:
        args, kwargs = jax_arguments(row, call)
        theirs = _function(name)(*args, **kwargs)
    except RefusedError as refusal:
        return Judged(PortStatus.REFUSED, str(refusal))
    except Exception as error:
        return _KEY if row.draws else Judged(PortStatus.FAILED, _why(error))
    terms = size_of_terms(row.name, (*call.args, *call.kwargs.values()))
    judged = agreed(result, theirs, terms)
    if judged.status == PortStatus.DIFFERS and row.draws:
        return _KEY
    if judged.status == PortStatus.DIFFERS and tied(row, call, result):
        judged = judged._replace(note=STABLE)
    topk = judged.status == PortStatus.DIFFERS and row.name == "torch.topk"
    if topk and agreed(result[0], theirs[0]).status == PortStatus.VERIFIED:
        judged = judged._replace(note=OF_EQUALS)
    return judged.noting(*_notes(name, row, call))


def _notes(name: str, row: Row, call: Call) -> Iterator[str]:
    if changes_its_array(name):
        yield ASSIGN
    if row.name in _DATA_DEPENDENT or masked(row, call):
        yield "what comes back depends on values: not under jax.jit as it is"


def _written(call: Call) -> Judged:
    """Whether ``x.at[i].set(v)`` is what PyTorch's assignment made of a copy."""
    x, places, value = call.args
    copy = x.detach().clone()
    copy[places] = value
    try:
        theirs = to_jax(x).at[to_jax(places)].set(to_jax(value))
    except Exception as error:
        return Judged(PortStatus.FAILED, error_text(error))
    return agreed(copy, theirs).noting(ASSIGN)


@cache
def _function(name: str) -> Callable[..., Any]:
    row = meaning(rows()[name])
    found: Callable[..., Any] = eval(row.source(row.expression or ""), namespace())
    return found


def _why(error: Exception) -> str:
    if "doesn't have storage" in str(error):
        return "inside a transformation of torch.func its values are not at hand"
    return error_text(error)


def judge_module(row: Row, module: torch.nn.Module, call: Call, result: Any) -> Judged:
    """What becomes of a call of a module that the map has."""
    batch = normalizes_batches(module)
    kept = [n for n in module.state_dict() if not (batch and n.startswith("running_"))]
    state = Weights({name: to_jax(module.state_dict()[name]) for name in kept})
    made = Call(type(module), (), made_with(row, module))
    text = row.option("plain") or row.expression or ""
    try:
        theirs = in_jax(row, text, state, (made, call))
    except RefusedError as refusal:
        return Judged(PortStatus.REFUSED, str(refusal))
    except Exception as error:
        return Judged(PortStatus.FAILED, error_text(error))
    judged = agreed(result, theirs)
    drops = "Dropout" in row.name or bool(getattr(module, "dropout", 0))  # a recurrent one's
    if judged.status == PortStatus.DIFFERS and module.training and drops:
        return _KEY
    return judged.noting("its running averages change: keep what comes of them" if batch else "")


def normalizes_batches(module: torch.nn.Module) -> bool:
    """Whether a module takes the mean and variance of a batch, and keeps their averages."""
    kept = getattr(module, "running_mean", None) is not None
    return module.training and kept


def made_with(row: Row, module: torch.nn.Module) -> dict[str, Any]:
    """What a module was made with, as far as it still knows."""
    found: dict[str, Any] = {}
    for name in _parameters(row.made or ""):
        value = getattr(module, name, None)
        if name == "bias":
            found[name] = value is not None and value is not False
        elif hasattr(module, name):
            found[name] = value
    return found


def _parameters(made: str) -> list[str]:
    names = ast.parse(f"lambda {made}: 0", mode="eval").body
    assert isinstance(names, ast.Lambda)
    return [a.arg for a in [*names.args.args, *names.args.kwonlyargs]]
