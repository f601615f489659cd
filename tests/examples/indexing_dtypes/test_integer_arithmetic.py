"""Division, remainders, powers and casts of integers."""

import numpy as np
import pytest
from needs import needs_compiler


def test_signs_agree(jax, torch) -> None:
    a, b = np.int32([7, -7, 7, -7]), np.int32([2, 2, -2, -2])
    for array, rem, div in (
        (jax.numpy.array, jax.lax.rem, jax.lax.div),
        (torch.tensor, torch.fmod, lambda x, y: torch.div(x, y, rounding_mode="trunc")),
    ):
        x, y = array(a), array(b)
        assert (x // y).tolist() == (a // b).tolist() == [3, -4, -4, 3]
        assert (x % y).tolist() == (a % b).tolist() == [1, 1, -1, -1]
        assert div(x, y).tolist() == [3, -3, -3, 3]
        assert rem(x, y).tolist() == [1, -1, 1, -1]


def test_zero_divisors(jax, torch) -> None:
    for operation in (lambda x, y: x // y, lambda x, y: x % y):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            operation(torch.tensor([7]), torch.tensor([0]))
        # What comes is not promised: nothing is raised.
        assert operation(jax.numpy.array([7]), jax.numpy.array([0])).shape == (1,)
    for array in (jax.numpy.array, torch.tensor):
        one, zero = array([1.0]), array([0.0])
        assert (one // zero).tolist() == [np.inf]
        assert np.isnan((one % zero).tolist()).all()


@needs_compiler
def test_compiled_code_refuses_a_zero_divisor_too(torch) -> None:
    remainder = torch.compile(lambda x, y: x % y)
    with pytest.raises(RuntimeError, match="integer_div_error"):
        remainder(torch.tensor([7]), torch.tensor([0]))


def test_negative_powers(jax, torch) -> None:
    with pytest.raises(TypeError, match="negative powers"):
        jax.numpy.array(2) ** -1
    with pytest.raises(RuntimeError, match="negative integer powers"):
        torch.tensor(2) ** -1
    assert jax.numpy.array(2.0) ** -1 == 0.5
    assert torch.tensor(2.0) ** -1 == 0.5


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jit"])
def test_a_cast_saturates_in_jax(jax, jitted) -> None:
    x = jax.numpy.array([300, -1.5, np.nan, 1e20, -1e20, 3.99], "float32")
    if jax.default_backend() != "cpu":
        pytest.skip("seen on a CPU")
    for dtype, expected in (
        ("uint8", [255, 0, 0, 255, 0, 3]),
        ("int32", [300, -1, 0, 2**31 - 1, -(2**31), 3]),
    ):

        def cast(x, dtype=dtype):
            return x.astype(dtype)

        assert (jax.jit(cast) if jitted else cast)(x).tolist() == expected


def test_a_cast_wraps_in_pytorch(torch) -> None:
    x = torch.tensor([300, -1.5, 3.99])
    assert x.to(torch.uint8).tolist() == [44, 255, 3]
    assert torch.tensor(-1).to(torch.uint8) == 255


def test_a_cast_that_is_said_in_full_is_the_same(jax, torch, in_jax, in_torch) -> None:
    x = np.float32([np.nan, np.inf, -np.inf, 1e20, -1.5, 0.5, 1.5, 254.6, 255.4])
    expected = [0, 255, 0, 255, 0, 0, 2, 255, 255]
    assert in_jax.to_bytes(jax.numpy.array(x)).tolist() == expected
    assert in_torch.to_bytes(torch.tensor(x)).tolist() == expected


def test_float32_has_no_largest_integer_of_32_bits(jax, torch) -> None:
    assert float(np.float32(2**31 - 1)) == 2**31
    assert torch.tensor([1e20]).clamp(max=2**31 - 1).item() == 2**31
    assert jax.numpy.clip(jax.numpy.array([1e20]), None, 2.0**31 - 1).item() == 2**31


def test_the_scale_is_rounded_first_where_the_dtype_is_kept(jax, torch, in_jax, in_torch) -> None:
    x = jax.numpy.ones(2, "bfloat16")
    assert in_jax.scale_kept(x, jax.numpy.float32(1.001)).dtype == "bfloat16"
    assert (x * jax.numpy.float32(1.001)).dtype == "float32"
    halves = torch.ones(2, dtype=torch.bfloat16)
    assert in_torch.scale_kept(halves, torch.tensor(1.001)).dtype == torch.bfloat16
    assert (halves * torch.tensor(1.001)).dtype == torch.bfloat16
