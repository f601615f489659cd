"""Other forms of a name: a method, a change in place, another name for the same function."""

import itertools
from collections.abc import Callable
from typing import Any

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call, of_pytorch
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.describe import call_text, result_text
from tools.check_map import samples
from tools.check_map.tally import Tally

RAISED = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError)


def try_form(row: Row, meaning: Row) -> Tally:
    """Compare a form with the name it is a form of, both in PyTorch, on every sample of the name.

    Where the form raises, as a change in place does that would need another dtype or shape, the
    call is not counted.
    """
    form, function = of_pytorch(row.name), of_pytorch(meaning.name)
    tally = Tally()
    if meaning.expression is None:
        return tally
    if form is function:
        tally.add("form", "the same object", [])
        return tally
    given = samples.own(meaning, function)
    for operation, dtype in itertools.product(
        samples.operations(meaning.name), (torch.float32, torch.int64)
    ):
        given += samples.calls(operation, dtype)
    for call in given:
        if (found := _differences(call, form)) is not None:
            tally.add("form", call_text(call), found)
    return tally


def _differences(call: Call, form: Callable[..., Any]) -> list[Difference] | None:
    expected = call()
    try:
        got = Call(form, call.args, call.kwargs)()
    except RAISED:
        return None
    found = compare(expected, got, wide=False)
    return [Difference(d.kind, result_text(expected), result_text(got)) for d in found[:1]]
