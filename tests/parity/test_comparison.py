"""One array against its answer: the verdict, the worst element, its place, its error in ULP."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from jaxvstorch._parity.comparison import TOLERANCE, compare

DTYPES = sorted(TOLERANCE, key=str)
NARROW = [dtype for dtype in DTYPES if dtype != np.float64]


def up(value: float, dtype: np.dtype, steps: int):
    """The number of ``dtype`` that is ``steps`` after ``value``, by counting bit patterns."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    bits = np.asarray(value).astype(dtype).view(unsigned)
    return (bits + unsigned.type(steps)).view(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("value", [1.0, 1.5, 0.75, 3.14, 200.0, 2**-10])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_ulp_counts_the_steps_between_numbers(dtype, value, steps) -> None:
    value = float(np.asarray(value).astype(dtype))
    found = compare("x", up(value, dtype, steps), value)
    assert found.ulp == steps
    assert found.same
    assert found.dtype == str(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_ulp_just_below_a_power_of_two(dtype) -> None:
    below = up(8.0, dtype, -1 % 2 ** (8 * dtype.itemsize))
    assert compare("x", up(float(below), dtype, 1), float(below)).ulp == 1
    assert compare("x", below, 8.0).ulp == 0.5  # steps below a power of two are half as long


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_ulp_of_a_subnormal_is_the_smallest_number(dtype) -> None:
    smallest = float(up(0.0, dtype, 1))
    found = compare("x", up(0.0, dtype, 3), smallest)
    assert found.ulp == 2
    assert found.same
    assert not compare("x", np.zeros((), dtype), float(ml_dtypes.finfo(dtype).tiny)).same


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_tolerance_is_where_the_verdict_turns(dtype) -> None:
    inside, outside = (1 + factor * TOLERANCE[dtype] for factor in (0.75, 1.5))
    assert compare("x", np.asarray(inside).astype(dtype), 1.0).same
    assert not compare("x", np.asarray(outside).astype(dtype), 1.0).same
    assert compare("x", np.asarray(outside).astype(dtype), 1.0, tolerance=2).same


@given(st.data())
def test_a_correctly_rounded_answer_is_within_half_a_ulp(data) -> None:
    dtype = data.draw(st.sampled_from(NARROW))
    shape = hnp.array_shapes(min_dims=0, max_dims=3, max_side=4)
    answer = data.draw(hnp.arrays(np.float64, shape, elements=st.floats(-1e4, 1e4)))
    found = compare("x", answer.astype(dtype), answer)
    assert found.ulp <= 0.5
    assert found.same


def test_worst_element_and_its_place() -> None:
    answer = np.ones((2, 3))
    got = answer.astype(np.float32)
    got[1, 2] += 1e-3
    found = compare("x", got, answer)
    assert not found.same
    assert found.worst == (1, 2)
    assert found.got == float(got[1, 2])
    assert found.expected == 1
    assert found.ulp == pytest.approx(1e-3 / np.finfo(np.float32).eps, rel=1e-3)
    assert "worst at [1, 2]: 1.00100005, expected 1, 8.39e+03 ULP" in str(found)


def test_a_large_element_does_not_hide_a_small_one() -> None:
    answer = np.array([1e6, 1.0, 2.0])
    assert not compare("x", np.array([1e6, 1.001, 2.0], np.float32), answer).same


def test_what_a_cancelling_sum_leaves_passes() -> None:
    answer = np.array([1.0, 1e-9, 1.0])
    assert compare("x", np.array([1.0, 1e-7, 1.0], np.float32), answer).same
    assert not compare("x", np.array([1.0, 1e-4, 1.0], np.float32), answer).same


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    ("got", "answer", "same"),
    [
        (np.inf, np.inf, True),
        (np.nan, np.nan, True),
        (-np.inf, np.inf, False),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, 1.0, False),
        (1.0, np.inf, False),
        (np.nan, np.inf, False),
        (0.0, -0.0, True),
        (0.0, 1.0, False),
        (1.0, 0.0, False),
    ],
)
def test_special_values(dtype, got, answer, same) -> None:
    found = compare("x", np.array([2.0, got]).astype(dtype), np.array([2.0, answer]))
    assert found.same is same
    assert same or found.worst == (1,)


def test_infinity_is_right_where_the_dtype_ends() -> None:
    got = np.array([np.inf, 1], np.float16)
    assert compare("x", got, np.array([70_000.0, 1])).same
    assert not compare("x", got, np.array([65_000.0, 1])).same
    assert not compare("x", got, np.array([-70_000.0, 1])).same


@pytest.mark.parametrize("dtype", [*DTYPES, np.dtype(np.int32), np.dtype(bool)], ids=str)
def test_no_elements_and_scalars(dtype) -> None:
    empty = compare("x", np.zeros((0, 3), dtype), np.zeros((0, 3)))
    assert empty.same
    assert not empty.compared
    assert "no elements" in str(empty)
    assert not compare("x", np.zeros((0, 3), dtype), np.zeros((3, 0))).same
    scalar = compare("x", np.ones((), dtype), np.float64(0.0))
    assert not scalar.same
    assert scalar.worst == ()
    assert (scalar.got, scalar.expected) == (1, 0)


def test_shapes_must_be_the_same_even_where_they_broadcast() -> None:
    found = compare("x", np.ones((3, 1), np.float32), np.ones(3))
    assert not found.same
    assert "shape (3, 1), expected (3,)" in str(found)


def test_integers_must_be_equal() -> None:
    found = compare("x", np.array([[1, 2], [2**60, 4]]), np.array([[1, 2], [2**60 + 1, 5]]))
    assert not found.same
    assert found.worst == (1, 0)
    assert found.got == 2**60
    assert str(found) == (
        f"x: DIFFERENT: 2 of 4 int64 elements differ, first at [1, 0]: {2**60}, "
        f"expected {2**60 + 1}"
    )
    assert compare("x", np.array([1, 2], np.int32), np.array([1, 2])).same
    assert not compare("x", np.array([True, False]), np.array([True, True])).same


def test_complex_numbers_are_allowed_what_their_parts_are() -> None:
    answer = np.array([1 + 1j, 2 - 1j])
    close, far = answer.astype(np.complex64), answer.astype(np.complex64)
    close[1] += np.complex64(2e-7j)
    far[1] += np.complex64(1e-3j)
    assert compare("x", close, answer).same
    found = compare("x", far, answer)
    assert not found.same
    assert found.worst == (1,)
    assert not compare("x", answer.conj().astype(np.complex64), answer).same
    assert not compare("x", answer.real.astype(np.float32), answer).same


@pytest.mark.parametrize(
    ("got", "answer", "same"),
    [
        (complex(np.inf, 1), complex(np.inf, 1 + 1e-9), True),
        (complex(1 + 1e-9, -np.inf), complex(1, -np.inf), True),
        (complex(np.nan, 0), complex(np.nan, np.nan), True),
        (complex(np.inf, 1), complex(np.inf, 2), False),
        (complex(np.inf, 1), complex(-np.inf, 1), False),
        (complex(np.inf, np.nan), complex(np.inf, 1), False),
        (complex(1e39, 1), complex(1e39, 1), True),
    ],
)
@pytest.mark.parametrize("others", [(), (1.0,)])
def test_infinite_parts_of_complex_numbers(got, answer, same, others) -> None:
    with np.errstate(over="ignore"):
        array = np.array([got, *others]).astype(np.complex64)
    assert compare("x", array, np.array([answer, *others])).same is same
