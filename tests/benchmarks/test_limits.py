"""What a machine can do at most, and what share of it a function reaches."""

import pytest
from result_files import CPU, load

from benchmarks.report import limits
from benchmarks.report.timings import Timing


def timing(topic="tracing", name="f", framework="jax", mode="compiled", time=1.0, **more):
    more = {"rounds": 5, "dtype": "float32"} | more
    return Timing(topic, name, 16, framework, mode, (time,), **more)


SLOW = timing("memory", "copy", "numpy", "copy", 4.0, moved=1000)
FAST = timing("memory", "copy", "torch", "copy", 2.0, moved=1000)
PRODUCTS = [
    timing(limits.YARDSTICKS, f"matmul {dtype}", time=time, operations=400, dtype=dtype)
    for dtype, time in (("float32", 1.0), ("float64", 2.0))
]


def test_the_limit_is_the_faster_copy() -> None:
    assert limits.copy([SLOW, FAST]) == 500.0
    assert limits.copy(PRODUCTS) == 0


def test_each_dtype_has_a_product_of_its_own() -> None:
    rates = [limits.product(PRODUCTS, dtype) for dtype in ("float32", "float64", "bfloat16")]
    assert rates == [400.0, 200.0, 0]
    other = timing("timing", "product_left", "numpy", time=0.01, operations=400)
    assert limits.product([*PRODUCTS, other], "float32") == 400.0  # it needs fewer than it states


@pytest.mark.parametrize(
    ("timed", "expected"),
    [
        (timing(moved=250), limits.Fraction(0.5, "copy")),
        (timing(moved=250, operations=100), limits.Fraction(0.25, "product")),
        (timing(operations=100, dtype="float64"), limits.Fraction(0.5, "product")),
        (timing(operations=100, dtype="bfloat16"), None),
        (timing(operations=100, framework="numpy"), None),
        (timing(operations=1000), None),
        (timing(), None),
        (FAST, None),
        (PRODUCTS[0], None),
    ],
    ids=[
        "copy",
        "product",
        "dtype",
        "not measured",
        "a reference",
        "operands of fewer bits",
        "not stated",
        "a copy",
        "a yardstick",
    ],
)
def test_a_function_is_compared_with_what_limits_it(tmp_path, timed, expected) -> None:
    assert limits.fraction(timed, load(tmp_path, SLOW, FAST, *PRODUCTS)) == expected


def test_the_limit_is_of_the_device_that_computed(tmp_path) -> None:
    """Made up: JAX on a TPU, NumPy and PyTorch on the processor."""
    there = timing("memory", "copy", "jax", "copy", 0.01, moved=1000)
    devices = {"jax": CPU | {"platform": "tpu"}, "numpy": CPU, "torch": CPU}
    found = load(tmp_path, there, SLOW, FAST, devices=devices)
    shares = [limits.fraction(timing(framework=f, moved=250), found) for f in ("jax", "torch")]
    assert shares == [limits.Fraction(0.0025, "copy"), limits.Fraction(0.5, "copy")]


def test_a_rate_is_that_of_a_busy_device(tmp_path) -> None:
    copy = timing("memory", "copy", mode="copy", time=4.0, moved=100, queued=1.0)
    half = timing(time=4.0, moved=100, queued=2.0)
    assert limits.copy([copy]) == 100.0
    assert limits.fraction(half, load(tmp_path, copy)).value == 0.5


def test_what_was_not_measured_is_named() -> None:
    names = ["a copy", "the smallest call", "products in each dtype"]
    assert limits.missing([timing()]) == names
    assert limits.missing([FAST, *PRODUCTS]) == names[1:2]
    assert limits.missing([FAST, *PRODUCTS, timing(limits.YARDSTICKS, "dispatch")]) == []


def test_without_a_copy_there_is_no_fraction(tmp_path) -> None:
    assert limits.fraction(timing(moved=250), load(tmp_path, *PRODUCTS)) is None
