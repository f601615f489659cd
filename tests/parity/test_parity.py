"""check_parity says no where two functions differ, whichever way they do."""

import functools

import ml_dtypes
import numpy as np
import pytest

from jaxvstorch import check_parity

jax = pytest.importorskip("jax", reason="parity compares both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="parity compares both frameworks; no PyTorch here")
jnp = jax.numpy

X = np.array([0.5, 1.0, 1.5, 2.5])
DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]


def reference(x):
    return np.sin(x) * x


def jax_half(x):
    return jnp.sin(x) * x


def torch_half(x):
    return torch.sin(x) * x


def check(jax_function=jax_half, torch_function=torch_half, dtype=np.float32, **options):
    options = {"reference": reference, "gradient": (0,)} | options
    return check_parity(jax_function, torch_function, (X.astype(dtype),), **options)


def different(report) -> list[str]:
    assert not report.same
    with pytest.raises(AssertionError, match="DIFFERENT"):
        report.require()
    return [comparison.what for comparison in report.comparisons if not comparison.same]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("answer", [reference, None])
def test_the_same_function(dtype, answer) -> None:
    report = check(dtype=dtype, reference=answer)
    report.require()
    assert report.same
    whats = [comparison.what for comparison in report.comparisons]
    assert {"jax output 0", "torch output 0", "jax gradient 0", "torch gradient 0"} <= set(whats)
    assert ("jax float64 output 0" in whats) == (answer is None)
    assert ("torch float64 gradient along a random direction" in whats) == (answer is not None)


def test_a_wrong_value_in_either_half() -> None:
    assert "jax output 0" in different(check(jax_function=lambda x: jax_half(x) + 0.01))
    assert "torch output 0" in different(check(torch_function=lambda x: torch_half(x) + 0.01))


def test_one_wrong_element_is_named() -> None:
    report = check(jax_function=lambda x: jax_half(x).at[2].add(0.01))
    assert different(report) == ["jax output 0"]
    (found,) = [c for c in report.comparisons if not c.same]
    assert found.worst == (2,)
    assert found.expected == pytest.approx(np.sin(1.5) * 1.5)
    assert found.got == pytest.approx(np.sin(1.5) * 1.5 + 0.01)


@pytest.mark.parametrize("steps", [3, 5])
def test_a_few_units_in_the_last_place_are_counted_and_can_be_refused(steps) -> None:
    def exact(x):
        return x * 2

    def off(x):
        return x * 2 * (1 + steps * jnp.finfo(x.dtype).eps)

    inputs = (np.ones(3, np.float32),)
    report = check_parity(off, exact, inputs, reference=exact)
    assert report.same
    assert report.comparisons[0].ulp == steps
    assert different(check_parity(off, exact, inputs, reference=exact, tolerance=1 / 64)) == [
        "jax output 0"
    ]


def test_hundreds_of_units_in_the_last_place_are_refused_by_default() -> None:
    def off(x):
        return jax_half(x) * (1 + 200 * jnp.finfo(x.dtype).eps)

    assert "jax output 0" in different(check(jax_function=off))


def test_a_wrong_gradient_with_the_right_value() -> None:
    def stopped(x):
        return jnp.sin(x) * jax.lax.stop_gradient(x)

    assert different(check(jax_function=stopped)) == ["jax gradient 0"]


def test_a_wrong_gradient_in_both_halves_is_caught_by_the_difference() -> None:
    def jax_stopped(x):
        return jnp.sin(x) * jax.lax.stop_gradient(x)

    def torch_stopped(x):
        return torch.sin(x) * x.detach()

    found = different(check(jax_stopped, torch_stopped))
    assert found == ["torch float64 gradient along a random direction"]


def test_a_gradient_that_is_not_there_is_zero() -> None:
    found = different(check(torch_function=lambda x: torch_half(x.detach()) + 0 * x))
    assert found == ["torch float64 gradient along a random direction", "jax gradient 0"]
    unused = check_parity(
        lambda x, y: x, lambda x, y: x, (X, X), reference=lambda x, y: x, gradient=(0, 1)
    )
    unused.require()
    assert [c.expected for c in unused.comparisons if c.what.endswith("gradient 1")] == [0, 0]


@pytest.mark.parametrize("shape", [(2, 2), (4, 1), (1, 4)], ids=str)
def test_a_wrong_shape(shape) -> None:
    report = check(torch_function=lambda x: torch_half(x).reshape(shape))
    assert different(report) == ["torch output 0"]
    assert f"shape {shape}, expected (4,)" in str(report)


def test_an_extra_output() -> None:
    report = check(jax_function=lambda x: (jax_half(x), x))
    assert different(report) == ["jax number of outputs"]
    assert "returned 2, expected 1" in str(report)


def test_a_missing_output() -> None:
    report = check(torch_function=lambda x: (torch_half(x),), reference=lambda x: (reference(x), x))
    assert "torch number of outputs" in different(report)


def test_outputs_in_another_order() -> None:
    swapped = check_parity(
        lambda x: (x.max(), x.min()), lambda x: (x.min(), x.max()), (X.astype(np.float32),)
    )
    assert "jax output 0" in different(swapped)


def test_another_dtype() -> None:
    report = check(torch_function=lambda x: torch_half(x).double())
    assert different(report)[-1] == "output 0 dtype"
    assert "float32 in JAX, float64 in PyTorch" in str(report)
    counts = (np.array([1, 2], np.int32),)
    assert check_parity(jnp.sum, torch.sum, counts).same  # int32 and int64: their defaults
    assert different(check_parity(lambda x: x > 1, lambda x: (x > 1).int(), counts)) == [
        "output 0 dtype"
    ]


def test_wrong_integers_and_booleans() -> None:
    counts = (np.array([1, 2], np.int32),)
    assert "jax output 0" in different(check_parity(lambda x: x + 1, lambda x: x, counts))
    assert "jax output 0" in different(check_parity(lambda x: x > 1, lambda x: x > 0, counts))


def test_nan_where_the_answer_has_none_and_the_other_way_round() -> None:
    def where_nan(x):
        return jnp.where(x > 1, jax_half(x), jnp.nan)

    assert "jax output 0" in different(check(jax_function=where_nan, gradient=()))
    nowhere = check_parity(jnp.sqrt, torch.sqrt, (np.array([-1.0, 4.0], np.float32),))
    assert nowhere.same


NOT_FINITE = np.array([np.nan, np.inf, -np.inf, 1], np.float32)


@pytest.mark.parametrize("answer", [lambda x: x * 2, None])
@pytest.mark.parametrize("gradient", [(), (0,)])
def test_infinities_and_nans_that_all_agree_on_are_the_same(answer, gradient) -> None:
    def double(x):
        return x * 2

    report = check_parity(double, double, (NOT_FINITE,), reference=answer, gradient=gradient)
    report.require()
    said = " ".join(str(report).split())
    assert ("NOT COMPARED: an output of the reference is not finite" in said) == bool(
        answer and gradient
    )


def test_only_what_is_finite_is_moved_for_the_difference() -> None:
    def halves(maths):
        return lambda x: maths.where(maths.isfinite(x), x, 0 * maths.ones_like(x)) * 3

    report = check_parity(
        halves(jnp), halves(torch), (NOT_FINITE,), reference=halves(np), gradient=(0,)
    )
    report.require()
    assert "random direction: same" in str(report)


def test_a_gradient_that_is_nan_where_there_is_a_slope_is_different() -> None:
    def unsafe(maths):
        return lambda x: maths.where(x > 0, maths.sqrt(maths.abs(x)), maths.zeros_like(x))

    at_zero = (np.array([0.0, 4.0], np.float32),)
    report = check_parity(
        unsafe(jnp), unsafe(torch), at_zero, gradient=(0,),
        reference=lambda x: np.sqrt(np.maximum(x, 0)) * (x > 1),
    )  # fmt: skip
    assert different(report) == ["torch float64 gradient along a random direction"]


def test_scalars() -> None:
    two = (np.float32(2),)
    check_parity(jax_half, torch_half, two, reference=reference, gradient=(0,)).require()
    off = check_parity(jax_half, lambda x: -torch_half(x), two, reference=reference)
    assert different(off) == ["torch output 0"]


@pytest.mark.parametrize("answer", [reference, None])
@pytest.mark.parametrize("gradient", [(), (0,)])
def test_where_nothing_has_an_element_nothing_is_the_same(answer, gradient) -> None:
    inputs = (np.zeros(0, np.float32),)
    report = check_parity(jax_half, torch_half, inputs, reference=answer, gradient=gradient)
    assert not report.same
    assert all(comparison.same for comparison in report.comparisons)
    with pytest.raises(AssertionError, match="nothing was compared: pass inputs for which"):
        report.require()


def test_an_output_without_elements_is_not_reported_as_the_same() -> None:
    report = check_parity(lambda x: (x[:0], x), lambda x: (x[:0], x), (X,))
    report.require()
    assert "jax output 0: NOT COMPARED: float64, no elements, shape (0,) as expected" in str(report)
    assert "jax output 1: same" in str(report)


def test_several_outputs_some_of_them_integers() -> None:
    def jax_both(x):
        return jnp.cumsum(x), jnp.argmax(x)

    def torch_both(x):
        return torch.cumsum(x, 0), torch.argmax(x)

    with jax.numpy_dtype_promotion("strict"):
        check_parity(
            jax_both, torch_both, (X.astype(np.float32),), gradient=(0,),
            reference=lambda x: (np.cumsum(x), np.argmax(x)),
        ).require()  # fmt: skip


def test_halves_may_change_what_they_are_given() -> None:
    x = X.astype(np.float32)
    check_parity(lambda x: x + 1, lambda x: x.add_(1), (x,)).require()
    assert np.array_equal(x, X)


def test_float32_runs_without_64_bit_types() -> None:
    seen = []

    def half(x):
        seen.append((str(x.dtype), str(jnp.zeros(1).dtype)))
        return x

    check_parity(half, lambda x: x, (X.astype(np.float32),), reference=lambda x: x)
    check_parity(half, lambda x: x, (X,), reference=lambda x: x)
    assert seen == [("float32", "float32"), ("float64", "float64")]


def test_torch_gives_value_and_gradient_in_one_call_and_in_float64_the_gradient() -> None:
    seen = []

    def half(x):
        seen.append((x.dtype, x.requires_grad))
        return torch_half(x)

    check(torch_function=half).require()
    assert seen == [(torch.float32, True), (torch.float64, True)]


def test_compiled_functions() -> None:
    compiled = []

    def backend(graph, inputs):
        compiled.append(inputs[0].dtype)
        return graph

    torch_compiled = torch.compile(torch_half, backend=backend)
    check(jax.jit(jax_half), torch_compiled).require()
    assert compiled == [torch.float32]  # once, and not for the answer
    wrong = jax.jit(lambda x: jnp.cos(x) * x)
    assert {"jax output 0", "jax gradient 0"} == set(different(check(wrong, torch_compiled)))


def test_a_wrapper_of_a_compiled_function_is_more_than_it() -> None:
    compiled = torch.compile(torch_half, backend="eager")

    @functools.wraps(compiled)
    def twice(x):
        return 2 * compiled(x)

    check(lambda x: 2 * jax_half(x), twice, reference=None).require()
    check(lambda x: 2 * jax_half(x), twice, reference=lambda x: 2 * reference(x)).require()


@pytest.mark.parametrize(
    ("inputs", "options", "error", "message"),
    [
        ([X], {}, TypeError, r"inputs must be a tuple of arguments, not list; .* write \(x,\)"),
        ((X,), {"gradient": (1,)}, IndexError, "gradient names argument 1; inputs has 1"),
        ((X, 3), {"gradient": (1,)}, TypeError, "floating-point NumPy array, not int"),
        ((X.astype(int),), {"gradient": (0,)}, TypeError, "floating-point NumPy array, not int64"),
    ],
)
def test_wrong_arguments_are_named(inputs, options, error, message) -> None:
    with pytest.raises(error, match=message):
        check_parity(jax_half, torch_half, inputs, **options)


def test_what_is_no_array_is_named() -> None:
    with pytest.raises(TypeError, match=r"torch_function must return .* returned dict with NoneT"):
        check(torch_function=lambda x: {"out": None})
    with pytest.raises(TypeError, match=r"jax_function must return .* returned tuple of nothing"):
        check(jax_function=lambda x: ())
    with pytest.raises(TypeError, match=r"reference must return .* returned tuple with NoneType"):
        check(reference=lambda x: (x, None))
    with pytest.raises(
        TypeError, match=r"gradient needs a floating-point output; jax returns bool"
    ):
        check_parity(lambda x: x > 1, lambda x: x > 1, (X,), gradient=(0,))


@pytest.mark.parametrize("wrap", [lambda module: module, torch.compile], ids=["eager", "compiled"])
def test_the_answer_of_a_module_in_float32_is_that_of_a_copy_in_float64(wrap) -> None:
    module = torch.nn.Linear(X.shape[-1], 2)
    weight, bias = (p.detach().numpy() for p in (module.weight, module.bias))
    narrow = X.astype(np.float32)
    check = functools.partial(check_parity, torch_function=wrap(module), inputs=(narrow,))
    check(lambda x: x @ weight.T + bias, gradient=(0,)).require()
    assert not check(lambda x: x @ weight.T + (bias + 1e-6)).same
    assert module.weight.dtype == torch.float32
