"""check_parity refuses what it cannot compare, and says why, before it calls anything."""

import threading
import warnings

import numpy as np
import pytest

from jaxvstorch import check_parity

jax = pytest.importorskip("jax", reason="parity compares both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="parity compares both frameworks; no PyTorch here")
jnp = jax.numpy

X = np.array([0.5, 1.0, 1.5, 2.5], np.float32)


def jax_square(x):
    return x * x


def jax_stopped(x):
    return jax.lax.stop_gradient(x) * x


def torch_square(x):
    return x * x


def check(inputs=(X,), jax_function=jax_square, torch_function=torch_square, **options):
    return check_parity(jax_function, torch_function, inputs, **options)


@pytest.mark.parametrize(
    "gradient",
    [np.array([0]), (i for i in [0]), range(1), {0}, [np.int64(0)]],
    ids=lambda gradient: type(gradient).__name__,
)
def test_positions_may_come_in_anything_that_can_be_gone_through(gradient) -> None:
    report = check(jax_function=jax_stopped, gradient=gradient)
    assert not report.same
    assert "jax gradient 0: DIFFERENT" in str(report)


@pytest.mark.parametrize(
    ("gradient", "error", "message"),
    [
        ((-1,), IndexError, "names argument -1; inputs has 1, counted from 0"),
        ((0, 0), ValueError, "names argument 0 twice"),
        (np.array([0, 0]), ValueError, "names argument 0 twice"),
        (np.array([[0]]), TypeError, r"must hold positions, .* not array"),
        (np.array([True]), TypeError, r"must hold positions, .* not np.True_"),
        ((True,), TypeError, r"must hold positions, .* not True"),
        ((0.0,), TypeError, r"must hold positions, .* not 0.0"),
        (0, TypeError, r"must be a tuple of positions such as \(0,\), not 0"),
        ("0", TypeError, r"must be a tuple of positions such as \(0,\), not '0'"),
        (None, TypeError, r"must be a tuple of positions such as \(0,\), not None"),
    ],
)
def test_positions_that_are_none_are_refused(gradient, error, message) -> None:
    with pytest.raises(error, match=message):
        check(gradient=gradient)


@pytest.mark.parametrize(
    "tolerance", [-1, float("nan"), float("inf"), 10**5000, np.float32(-1)], ids=range(5)
)
def test_a_tolerance_that_says_nothing_is_refused(tolerance) -> None:
    with pytest.raises(ValueError, match="tolerance must be finite and not negative"):
        check(tolerance=tolerance)


@pytest.mark.parametrize("tolerance", ["1", None, True, 1j, np.ones(2)], ids=repr)
def test_a_tolerance_that_is_no_number_is_refused(tolerance) -> None:
    with pytest.raises(TypeError, match="tolerance must be a number"):
        check(tolerance=tolerance)


def test_tolerances_of_any_kind_of_number() -> None:
    assert check(tolerance=np.float32(1)).same
    assert check(tolerance=np.int64(2)).same
    assert check((X.astype(np.float64),), tolerance=0).same


MASKED = np.ma.masked_array(X, mask=[0, 1, 0, 0])


def test_a_mask_is_refused() -> None:
    with pytest.raises(TypeError, match=r"input 0 is a masked array.*filled.*compressed"):
        check((MASKED,))
    with pytest.raises(TypeError, match="what reference returned is a masked array"):
        check(reference=lambda x: np.ma.masked_array(x * x, mask=[1, 1, 1, 1]))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (jnp.ones(2), "input 0 holds an array of JAX; pass NumPy arrays"),
        ({"w": torch.ones(2)}, "input 0 holds an array of PyTorch; pass NumPy arrays"),
        (np.array([object()]), "input 0 has dtype object, which JAX and PyTorch do not both have"),
        (np.array(["a"]), "input 0 has dtype <U1"),
        (np.zeros(2, "datetime64[D]"), "input 0 has dtype datetime64"),
        (np.zeros(2, [("a", "f4")]), "input 0 has dtype"),
        (np.zeros(2, np.longdouble), "input 0 has dtype"),
        (X.astype(X.dtype.newbyteorder()), "input 0 has dtype >f4.*byte order"),
        (threading.Lock(), "inputs cannot be copied.*cannot pickle '_thread.lock'"),
    ],
    ids=range(9),
)
def test_inputs_that_not_both_can_have_are_named(value, message) -> None:
    with pytest.raises(TypeError, match=message):
        check((value,))


def test_a_random_key_is_no_array_to_be_converted() -> None:
    key = jax.random.key(0)
    check((X, key), lambda x, key: x * x, lambda x, key: x * x).require()


@pytest.mark.parametrize("name", ["jax_function", "torch_function", "reference", "convert"])
def test_what_cannot_be_called_is_named(name) -> None:
    with pytest.raises(TypeError, match=f"{name} must be callable, not int"):
        check(**{name: 3})


def test_a_conversion_that_gives_no_arguments_is_named() -> None:
    with pytest.raises(TypeError, match="convert must return a tuple of arguments, not NoneType"):
        check(convert=lambda framework, inputs: None)


async def asynchronous(x):
    return x


HOLDS_ITSELF: list[object] = [1]
HOLDS_ITSELF.append(HOLDS_ITSELF)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: None, r"must return an array.*; it returned NoneType$"),
        (lambda x: [], r"must return an array.*; it returned list of nothing$"),
        (lambda x: HOLDS_ITSELF, "returned a list that holds itself, or is nested"),
        (lambda x: (x, HOLDS_ITSELF), "returned a tuple that holds itself, or is"),
        (lambda x: (y for y in [x]), "returned a generator, which has not done its work yet"),
        (asynchronous, r"returned a coroutine, .* asyncio\.run"),
        (lambda x: map(abs, [x]), "returned a map, which has not done its work yet"),
        (lambda x: np.array([object()]), "must return numbers; it returned dtype object"),
        (lambda x: np.array(["a"]), "must return numbers; it returned dtype <U1"),
        (lambda x: 10**50, "must return numbers; it returned dtype object"),
    ],
    ids=range(10),
)
def test_results_that_cannot_be_compared_are_named(result, message) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a coroutine that is never awaited among them
        with pytest.raises(TypeError, match=f"jax_function {message}"):
            check(jax_function=result, torch_function=result)
        with pytest.raises(TypeError, match=f"torch_function {message}"):
            check(torch_function=result)


def test_functions_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(TypeError, match="pass check_parity the JAX function first"):
        check(jax_function=lambda x: torch.ones(4))


def test_an_input_may_hold_itself() -> None:
    check((X, HOLDS_ITSELF), lambda x, y: x * x, lambda x, y: x * x).require()


def test_an_input_that_is_nested_too_deep_to_be_copied_is_named() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TypeError, match="nested too deeply to be copied"):
        check((X, deep), lambda x, y: x * x, lambda x, y: x * x)


PARAMETER = torch.nn.Parameter(torch.ones(()))
DETACHED = {
    "only its parameter has a gradient": lambda x: torch_square(x.detach()) * PARAMETER,
    "detach": lambda x: torch_square(x.detach()),
    "no_grad": torch.no_grad()(torch_square),
    "item": lambda x: torch_square(x).sum().detach().item(),
    "a new tensor": lambda x: torch.tensor([value * value for value in x.tolist()]),
}


@pytest.mark.parametrize("half", DETACHED.values(), ids=DETACHED.keys())
@pytest.mark.parametrize("reference", [np.square, None])
def test_a_half_that_detaches_is_refused(half, reference) -> None:
    with pytest.raises(TypeError, match=r"or leaves autograd: by \.detach"):
        check(torch_function=half, reference=reference, gradient=(0,))


def test_no_grad_around_the_check_is_not_the_half_s_own() -> None:
    for outside in (torch.no_grad, torch.inference_mode):
        with outside():
            check(gradient=(0,)).require()


def test_a_half_may_change_what_it_is_differentiated_in() -> None:
    check((X,), lambda x: x * 2, lambda x: x.mul_(2), gradient=(0,)).require()


def test_a_complex_output_has_no_gradient() -> None:
    with pytest.raises(TypeError, match="needs real outputs; jax returns a complex one"):
        check((X,), lambda x: x * 1j, lambda x: x * 1j, gradient=(0,))


def test_an_error_says_what_was_called_with_what() -> None:
    def narrow_only(x):
        return x @ torch.ones((4, 2))

    with pytest.raises(RuntimeError) as caught:
        check((X,), lambda x: x @ jnp.ones((4, 2), jnp.float32), narrow_only)
    called, cure = caught.value.__notes__
    assert called == "check_parity called torch_function with arrays of float64."
    assert "a function must follow the dtype of its inputs" in cure
    with pytest.raises(RuntimeError, match="numpy") as caught:
        check(torch_function=lambda x: torch.from_numpy(x.numpy() ** 2), gradient=(0,))
    assert caught.value.__notes__ == [
        "check_parity called torch_function with arrays of float32 for its gradient, which "
        "only PyTorch's own operations carry."
    ]


def test_what_cannot_be_converted_is_refused_inside_a_container_too() -> None:
    masked = np.ma.masked_array(X, X > 0)
    for held, message in ((masked, "input 0 is a masked array"), (X.astype(">f4"), "dtype >f4")):
        with pytest.raises(TypeError, match=message):
            check(({"w": [held]},), lambda d: d["w"][0] * 2, lambda d: d["w"][0] * 2)


def test_a_container_that_holds_arrays_and_itself_is_refused() -> None:
    endless: list[object] = [X]
    endless.append(endless)
    with pytest.raises(TypeError, match="input 0 holds itself, or is nested too deeply"):
        check((endless,), lambda d: d[0], lambda d: d[0])


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"w": X, "n": 3}, "not int, or hold only such arrays"),
        ({"w": X, "n": X.astype(np.int32)}, "not int32, or hold"),
        ({"w": X, "n": None}, "not NoneType, or hold"),
    ],
    ids=range(3),
)
def test_containers_of_other_things_have_no_gradient(held, message) -> None:
    with pytest.raises(TypeError, match=message):
        check((held,), lambda d: d["w"], lambda d: d["w"], gradient=(0,))
