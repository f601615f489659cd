"""The calls that the check makes of a sample, and the example that it shows."""

import pytest

pytest.importorskip("torch", reason="the check runs both frameworks")
pytest.importorskip("expecttest", reason="PyTorch's samples need it")

import torch

from jaxvstorch._port.map.row import parse
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference
from tools.check_map import functions
from tools.check_map.layers import try_module
from tools.check_map.tally import Tally
from tools.check_map.variants import variants

SUM = "torch.sum(input, dim=None, keepdim=False) => jnp.sum(input, axis=dim, keepdims=keepdim)"


def tried(line: str, call: Call) -> dict[str, set[str]]:
    """The kinds of difference of each kind of trial."""
    row = parse(line)
    function = eval(row.source(row.expression), functions.namespace())
    by_trial: dict[str, set[str]] = {}
    for trial, variant in variants(row, call):
        seen = functions.of_trial(trial, functions.differences(row, function, variant))
        by_trial.setdefault(trial, set()).update(difference.kind for difference in seen)
    return by_trial


def test_a_sum_is_tried_without_axes_and_in_lists() -> None:
    by_trial = tried(SUM, Call(torch.sum, (torch.ones(2, 3), 1)))
    assert {"float16", "int8", "bool", "complex64", "NaN", "infinity", "empty"} <= by_trial.keys()
    assert "shape" in by_trial["axes"]  # PyTorch sums all of dim=()
    assert "0-d" in by_trial["0-d"]


def test_an_array_without_dimensions_promotes_in_jax() -> None:
    x = torch.tensor([1.0, 2.0, 3.0])
    line = "torch.maximum(input, other) => jnp.maximum(input, other)"
    assert tried(line, Call(torch.maximum, (x, -x)))["0-d"] >= {"promotion"}


def test_a_bound_that_the_dtype_does_not_hold() -> None:
    line = "torch.clamp(input, min=None, max=None) => jnp.clip(input, min, max)"
    by_trial = tried(line, Call(torch.clamp, (torch.tensor([1.0, 100.0]), -1.0, 2.0)))
    assert by_trial["numbers beyond int8"] == {"overflow"}


def test_a_norm_in_float16_is_found() -> None:
    line = "torch.linalg.vector_norm(x) => jnp.linalg.vector_norm(x)"
    x = torch.tensor([[1.0, 2.0, 3.0]])
    assert "value" in tried(line, Call(torch.linalg.vector_norm, (x,)))["float16"]


def test_a_position_outside_is_refused_by_pytorch_alone() -> None:
    line = "torch.index_select(input, dim, index) => jnp.take(input, index, axis=dim)"
    call = Call(torch.index_select, (torch.ones(3), 0, torch.tensor([0, 2])))
    by_trial = tried(line, call)
    assert "only PyTorch raises" in by_trial["bounds"]


def test_a_module_is_tried_in_training() -> None:
    seen = {
        d: shown.difference
        for d, shown in try_module(rows()["torch.nn.BatchNorm1d"]).differences.items()
    }
    assert "var" in seen["buffers"].torch  # PyTorch's is unbiased
    seen = try_module(rows()["torch.nn.Embedding"]).differences
    assert "deviation 1," in seen["initial weights"].difference.torch


def test_the_simplest_call_is_shown() -> None:
    def run(call: Call) -> list[Difference]:
        return [Difference("value", "1", "2")]

    tally = Tally()
    for x in (torch.zeros(0), torch.full((5, 5), 1.237)):
        call = Call(torch.sin, (x,))
        tally.add("float32", call, run(call), run)
    tally.simplify()
    shown = tally.differences["value"]
    assert (shown.call, shown.times) == ("float32 [1., 1.] (1 by 2)", 2)
