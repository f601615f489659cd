"""The calls that the check makes of a sample, and the example that it shows."""

import pytest

pytest.importorskip("torch", reason="the check runs both frameworks")
pytest.importorskip("expecttest", reason="PyTorch's samples need it")

import jax
import numpy as np
import torch

from jaxvstorch._port.map.row import parse
from jaxvstorch._port.map.rows import jax_rows, rows
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference, compare
from tools.check_map import functions, samples
from tools.check_map.arguments import argument_calls
from tools.check_map.gradients import at_points, gradient_differences, points
from tools.check_map.judge import judge
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


def test_a_number_at_zero_is_tried_beside_nan() -> None:
    line = "torch.addmv(input, mat, vec, *, beta=1) => beta * input + mat @ vec"
    call = Call(torch.addmv, (torch.ones(2), torch.ones(2, 3), torch.ones(3)))
    assert "NaN" in tried(line, call)["NaN"]


def test_a_boolean_is_flipped_and_a_bound_left_out() -> None:
    line = "torch.clamp(input, min=None, max=None) => jnp.clip(input, min, max)"
    call = Call(torch.clamp, (torch.ones(3), 0.0))
    assert "only PyTorch raises" in tried(line, call)["arguments"]
    line = "torch.sum(input, dim, keepdim=False) => jnp.sum(input, dim) ; needless: keepdim"
    assert "shape" in tried(line, Call(torch.sum, (torch.ones(2, 3), 1)))["arguments"]


def test_an_array_is_emptied_along_each_axis() -> None:
    shape = "input.shape[:dim] + sizes + input.shape[dim + 1:]"
    line = f"torch.unflatten(input, dim, sizes) => jnp.reshape(input, {shape})"
    call = Call(torch.unflatten, (torch.ones(3, 4), 1, (2, -1)))
    assert "only JAX raises" in tried(line, call)["empty"]


def test_imaginary_numbers_are_tried() -> None:
    line = "torch.any(input, dim) => jnp.any(input, axis=dim)"
    call = Call(torch.any, (torch.ones(5, 1), 1))
    assert "value" in tried(line, call)["complex64"]  # JAX's `any` reads the real parts


def kinks(line: str, call: Call) -> set[str]:
    """What the gradients show at points where a function may have none."""
    row = parse(line)
    function = eval(row.source(row.expression), functions.namespace())
    with jax.enable_x64(True):
        compared = [gradient_differences(row, function, point) for point in points(row, call)]
    return {d.kind for found in compared for d in at_points("kink", found or ())}


def test_gradients_are_tried_at_zero() -> None:
    line = "torch.linalg.vector_norm(x, ord=2) => jnp.linalg.vector_norm(x, ord=ord)"
    assert kinks(line, Call(torch.linalg.vector_norm, (torch.ones(3),))) == {"kink"}
    assert kinks("torch.exp(input) => jnp.exp(input)", Call(torch.exp, (torch.ones(3),))) == set()


def test_gradients_are_tried_beside_an_infinity_and_with_special_arguments() -> None:
    row = parse("torch.sub(input, other, *, alpha=1) => input - alpha * other")
    calls = [*points(row, Call(torch.sub, (torch.ones(3), torch.full((3,), 2.0))))]
    infinite = [[bool(x.isinf().any()) for x in call.args[:2]] for call in calls]
    assert {(True, False), (False, True)} <= {*map(tuple, infinite)}
    assert {call.kwargs.get("alpha", 1) for call in calls} >= {0, -1, 1}


def test_a_gradient_that_only_jax_has_is_found() -> None:
    line = "torch.special.gammaincc(a, x) => jax.scipy.special.gammaincc(a, x)"
    call = Call(torch.special.gammaincc, (torch.tensor([1.5]), torch.tensor([0.5])))
    assert "only JAX differentiates" in kinks(line, call)


def test_two_arrays_of_different_dtypes_are_tried() -> None:
    line = "torch.mm(input, mat2) => input @ mat2"
    call = Call(torch.mm, (torch.ones(2, 2), torch.ones(2, 2)))
    assert tried(line, call)["two dtypes"] == {"two dtypes"}
    line = "torch.add(input, other) => input + other"
    assert tried(line, Call(torch.add, call.args))["two dtypes"] == set()


def test_a_complex_infinity_is_tried() -> None:
    line = "torch.isinf(input) => jnp.isinf(input.real)"
    assert "value" in tried(line, Call(torch.isinf, (torch.ones(5),)))["complex infinity"]


def test_a_complex_infinity_is_tried_of_a_root_which_is_no_qr() -> None:
    line = "torch.rsqrt(input) => 1 / jnp.sqrt(input)"
    assert "NaN" in tried(line, Call(torch.rsqrt, (torch.ones(5),)))["complex infinity"]


def test_nan_is_tried_between_numbers() -> None:
    line = "torch.cummax(input, dim) => (lax.cummax(input, axis=dim), paste.cummax(input, dim)[1])"
    x = torch.ones(5)
    assert tried(line, Call(torch.cummax, (x, 0)))["NaN and inf"] == {"width"}
    line = "torch.argmax(input) => jnp.argmax(jnp.nan_to_num(input))"
    assert "value" in tried(line, Call(torch.argmax, (x,)))["NaN and inf"]


def test_a_negative_zero_and_a_large_number_are_tried() -> None:
    line = "torch.angle(input) => jnp.angle(input)"  # pi where a sign bit is set
    assert "value" in tried(line, Call(torch.angle, (torch.ones(5),)))["large and small"]
    line = "torch.std(input) => jnp.sqrt(jnp.mean(input**2) - jnp.mean(input) ** 2)"
    assert {"value", "NaN"} & tried(line, Call(torch.std, (torch.ones(5),)))["large and small"]


def test_samples_of_pytorch_come_before_those_of_the_line() -> None:
    row = rows()["torch.nn.functional.l1_loss"]
    own = samples.written_calls(row, torch.nn.functional.l1_loss)
    first, second = functions._seeds(row, own)
    assert "weight" not in first.kwargs
    assert "weight" in second.kwargs


def test_an_infinite_part_does_not_hide_the_other_one() -> None:
    part = float(np.float32(0.7853982))
    near, far = (np.array([complex(np.inf, part + by)], np.complex64) for by in (1e-6, 1))
    same = np.array([complex(np.inf, part)], np.complex64)
    assert compare(same, near, wide=False) == []
    assert [difference.kind for difference in compare(same, far, wide=False)] == ["value"]


def test_arguments_are_tried_beyond_the_count_and_missing() -> None:
    row = parse("torch.std(input, *, correction=1) => jnp.std(input, ddof=correction)")
    assert 5 in [value for value, _ in argument_calls(row, Call(torch.std, (torch.ones(3),)))]
    row = rows()["torch.nn.BatchNorm1d"]
    made = [call.kwargs for _, call in argument_calls(row, Call(torch.nn.BatchNorm1d, (3,)))]
    assert {"momentum": None} in made


def test_a_dtype_and_a_word_are_tried_though_none_is_given() -> None:
    x = torch.ones(2, 3)
    tried_of = {
        name: [call.kwargs for _, call in argument_calls(rows()[name], Call(function, (x,)))]
        for name, function in (("torch.sum", torch.sum), ("torch.fft.fft", torch.fft.fft))
    }
    assert {"dtype": torch.int32} in tried_of["torch.sum"]
    assert {"norm": "ortho"} in tried_of["torch.fft.fft"]
    call = Call(torch.linalg.qr, (x,))
    words = {word for word, _ in argument_calls(rows()["torch.linalg.qr"], call)}
    assert words >= {"r", "complete"}


def test_a_flipped_boolean_is_tried_beside_other_dtypes() -> None:
    calls = variants(parse(SUM), Call(torch.sum, (torch.ones(2, 3), 1, False)))
    kept = [call.args[0] for _, call in calls if call.args[1:] == (1, True)]
    assert {x.dtype for x in kept} >= {torch.bool, torch.int32, torch.complex64}
    assert 0 in [x.numel() for x in kept]


def test_a_name_without_arrays_is_tried_with_other_arguments() -> None:
    line = "torch.hann_window(window_length, periodic=True) => jnp.hanning(window_length + 1)[:-1]"
    seen = judge(parse(f"{line} ; needless: periodic ; try: [(5,)]"))
    assert "value" in {difference.kind for difference in seen.differences}


def test_an_optimizer_and_a_norm_are_tried_with_other_arguments() -> None:
    assert judge(rows()["torch.optim.Adagrad"]).tried["arguments"]
    line = (
        "nnx.LayerNorm(num_features, *, epsilon=1e-06, use_bias=True, use_scale=True, rngs=...)(x)"
        " => torch.nn.LayerNorm(num_features, epsilon, use_scale, use_bias)(x) ; needless: rngs"
        " ; weights: {'weight': w.scale, 'bias': w.bias} ; try: [((3,), (x,))]"
    )  # without a scale, this leaves out the bias
    assert "only PyTorch raises" in {d.kind for d in judge(parse(line)).differences}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("torch.nn.Linear", "two dtypes", id="16-bit inputs of 32-bit weights"),
        pytest.param("torch.nn.LayerNorm", "promotion of two", id="16-bit inputs and results"),
        pytest.param("torch.nn.ReLU6", "dtype", id="integers"),
        pytest.param("torch.nn.CELU", "out of range", id="a module's argument"),
        pytest.param("Tensor.uniform_", "out of range", id="a range in the wrong order"),
        pytest.param("torch.optim.lr_scheduler.StepLR", "out of range", id="a step size of 0"),
    ],
)
def test_a_name_of_pytorch_has_variants(name, kind) -> None:
    assert kind in {difference.kind for difference in judge(rows()[name]).differences}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("jnp.mod", "width", id="booleans beside a number"),
        pytest.param("jnp.matmul", "two dtypes", id="two dtypes"),
        pytest.param("jnp.left_shift", "dtype", id="a partner without dimensions"),
        pytest.param("jax.scipy.stats.poisson.logpmf", "only PyTorch raises", id="outside"),
        pytest.param("jnp.all", "value", id="imaginary numbers"),
        pytest.param("jnp.add", "NaN", id="complex infinities"),
        pytest.param("jnp.sum", "value", id="NaN in a dtype of integers"),
        pytest.param("jax.nn.relu", "dtypes", id="a dtype that PyTorch refuses"),
    ],
)
def test_a_sample_of_jax_has_variants(name, kind) -> None:
    assert kind in {difference.kind for difference in judge(jax_rows()[name]).differences}


def test_arrays_in_a_list_have_variants_too() -> None:
    row = parse("jnp.hstack(tup) => torch.cat([x.float() for x in tup], -1) ; try: [([x, y],)]")
    verdict = judge(row)
    assert {"two dtypes", "complex infinity", "large and small"} <= verdict.tried.keys()
    assert "dtype" in {difference.kind for difference in verdict.differences}
