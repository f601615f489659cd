"""Modules and makers of functions, tried on PyTorch's own samples with the same weights."""

import itertools
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, of_pytorch, without_axes
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import call_text, error_text, result_text
from jaxvstorch._port.map.running.modules import in_jax
from jaxvstorch._port.map.running.namespace import Weights
from jaxvstorch._port.map.running.values import RefusedError, to_jax
from tools.check_map import samples
from tools.check_map.arguments import OUT_OF_RANGE, argument_calls
from tools.check_map.tally import Tally
from tools.check_map.training import enlarged, initial_differences, training_differences
from tools.check_map.variants import module_variants, of_trial


def try_module(row: Row) -> Tally:
    """Make the module or function in both, give both the same weights, and call both."""
    tally = Tally()
    for made, called in _samples(row):
        module = _module(made)
        ours = Call(module, called.args, called.kwargs)()
        state = _weights(module)
        for kind, text in (("module", row.expression), ("plain", row.option("plain"))):
            if text is not None:
                differences = _differences(row, text, state, (made, called), ours)
                tally.add(kind, _text(made, called), differences)
        if isinstance(module, torch.nn.Module):
            differences = training_differences(row, module, (made, called))
            tally.add("in training", _text(made, called), differences)
    with_axes = itertools.filterfalse(lambda calls: without_axes(calls[1]), _samples(row))
    for made, called in itertools.islice(itertools.chain(with_axes, _samples(row)), 1):
        _try_variants(row, (made, called), tally)
        initial = initial_differences(row, made) if row.option("weights") else None
        if initial is not None:
            tally.add("initial weights", call_text(enlarged(row, made)), initial)
        if (begins := row.option("begins")) and initial_differences(row, made, begins):
            raise AssertionError(f"it begins with other weights: {begins}")
    return tally


def _text(made: Call, called: Call) -> str:
    return f"({call_text(made)})({call_text(called)})"


def _try_variants(row: Row, calls: tuple[Call, Call], tally: Tally) -> None:
    """Call a module with inputs that PyTorch may refuse, and made with special arguments."""
    for trial, variant in [*module_variants(row, calls[1])][:: samples.stride]:
        made = calls[0]
        if trial in ("float16", "bfloat16") and "dtype" in row.parameters:
            made = replace(made, kwargs=made.kwargs | {"dtype": getattr(torch, trial)})
        module = _module(made)
        for text in filter(None, (row.expression, row.option("plain"))):
            seen = _variant_differences(row, text, module, (made, variant))
            tally.add(trial, _text(made, variant), of_trial(trial, seen))
    special = [made for value, made in argument_calls(row, calls[0], with_required=False)
               if not isinstance(value, torch.Tensor | torch.dtype)]  # fmt: skip
    for made in special[:: samples.stride]:
        _try_made(row, (made, calls[1]), tally)


def _try_made(row: Row, calls: tuple[Call, Call], tally: Tally) -> None:
    """Call a module that is made with special arguments, which PyTorch may refuse."""
    try:
        module = _module(calls[0])
    except Exception as error:
        module = error
    for text in filter(None, (row.expression, row.option("plain"))):
        seen = _variant_differences(row, text, module, calls)
        refused = [d._replace(kind=OUT_OF_RANGE) for d in seen if d.kind == "only PyTorch raises"]
        tally.add("arguments", _text(*calls), refused or seen)
    if isinstance(module, torch.nn.Module):
        differences = training_differences(row, module, calls)
        tally.add("in training", _text(*calls), differences)


def _variant_differences(
    row: Row, text: str, module: Any, calls: tuple[Call, Call]
) -> list[Difference]:
    """How the two differ; nothing where both refuse the input.

    The module may be the error of making it.
    """
    state = _weights(module)
    try:
        if isinstance(module, Exception):
            raise module
        ours: Any = Call(module, calls[1].args, calls[1].kwargs)()
    except Exception as error:
        try:
            theirs = in_jax(row, text, state, calls)
        except Exception:
            return []
        return [Difference("only PyTorch raises", error_text(error), result_text(theirs))]
    return _differences(row, text, state, calls, ours)


def _weights(module: Any) -> Weights:
    """The weights of a module, as JAX arrays; a function has none."""
    weights = module.state_dict() if isinstance(module, torch.nn.Module) else {}
    return Weights({name: to_jax(value) for name, value in weights.items()})


def _module(made: Call) -> Any:
    """The module with random weights, in eval mode; or the function that is made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = made.function(*made.args, **made.kwargs)
    if not isinstance(module, torch.nn.Module):
        return module
    generator = torch.Generator().manual_seed(0)
    for value in module.state_dict().values():
        if value.is_floating_point():  # a layer norm's ones would hide a wrong use
            value.copy_(torch.rand(value.shape, generator=generator) + 0.5)
    return module.eval()


def _differences(
    row: Row, text: str, state: Weights, calls: tuple[Call, Call], ours: Any
) -> list[Difference]:
    try:
        theirs = in_jax(row, text, state, calls)
    except RefusedError as refusal:
        return [Difference("refused", "", str(refusal))]
    except Exception as error:
        kind = "0-d" if without_axes(calls[1]) else "only JAX raises"
        return [Difference(kind, result_text(ours), error_text(error))]
    return compare(ours, theirs, wide=False)


@cache
def _modules() -> dict[str, Any]:
    """PyTorch's descriptions of its modules, by name."""
    from torch.testing._internal.common_modules import module_db

    return {f"torch.nn.{info.module_cls.__name__}": info for info in module_db}


def _samples(row: Row) -> Iterator[tuple[Call, Call]]:
    """Each sample: how the module is made, and how it is called."""
    function = of_pytorch(row.name)
    for call in samples.written_calls(row, function):
        made, called = call.args
        yield Call(function, made), Call(function, called)
    if (info := _modules().get(row.name)) is None:
        return
    samples.seed()
    inputs = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=False
    )
    for sample in samples.spread(inputs):
        made, called = sample.constructor_input, sample.forward_input
        yield Call(function, made.args, made.kwargs), Call(function, called.args, called.kwargs)
