"""One line of the map, tried beside PyTorch in the way that its kind needs."""

import itertools
from collections.abc import Callable
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning
from jaxvstorch._port.map.running.call import Call, of_pytorch
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import call_text, result_text
from jaxvstorch._port.map.running.namespace import namespace
from jaxvstorch._port.map.verdict import SAME_OBJECT
from tools.check_map import from_jax, samples
from tools.check_map.draws import try_draws
from tools.check_map.functions import try_function
from tools.check_map.layers import try_module
from tools.check_map.optimizers import try_optimizer, try_schedule
from tools.check_map.tally import Tally

RAISED = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError)


def try_row(row: Row) -> Tally:
    """Run a line beside PyTorch, unless its name has no counterpart."""
    if row.framework == "jax":
        return from_jax.try_row(row)
    if row.form_of:
        return _form(row)
    if row.expression is None:
        return Tally()
    if row.made is None:
        return _constant(row)
    if row.name.startswith("torch.optim.lr_scheduler."):
        return try_schedule(row)
    if row.name.startswith("torch.optim."):
        return try_optimizer(row)
    if row.called is not None:
        return try_module(row)
    return try_draws(row) if row.draws else try_function(row)


def _constant(row: Row) -> Tally:
    tally = Tally()
    value = eval(row.expression or "", namespace())
    tally.add("constant", row.name, compare(of_pytorch(row.name), value, wide=True))
    return tally


def _form(row: Row) -> Tally:
    """Compare a form with the name it is a form of, both in PyTorch, on every sample of the name.

    A call where the form raises is not counted: a change in place may need another dtype or shape.
    """
    base, tally = meaning(row), Tally()
    if base.expression is None:
        return tally
    form, function = of_pytorch(row.name), of_pytorch(base.name)
    if form is function:
        tally.add(SAME_OBJECT, "", [])
        return tally
    calls = samples.written_calls(base, function)
    for operation, dtype in itertools.product(
        samples.operations(base.name), (torch.float32, torch.int64)
    ):
        calls += samples.calls(operation, dtype)
    for call in calls:
        if (differences := _form_differences(call, form)) is not None:
            tally.add("form", call_text(call), differences)
    return tally


def _form_differences(call: Call, form: Callable[..., Any]) -> list[Difference] | None:
    expected = call()
    try:
        got = Call(form, call.args, call.kwargs)()
    except RAISED:
        return None
    differences = compare(expected, got, wide=False)
    texts = result_text(expected), result_text(got)
    same_text = texts[0] == texts[1]  # as of equal integers of two dtypes: their dtypes differ
    return [d if same_text else Difference(d.kind, *texts) for d in differences[:1]]
