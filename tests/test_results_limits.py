"""What a machine can do at most, and what share of it a function reaches."""

import dataclasses

import pytest

from jaxvstorch import results_limits as limits
from jaxvstorch.timings import Timing, plain_rows, rows


def timing(topic="tracing", name="f", framework="jax", mode="compiled", minimum=1.0, **more):
    more = {"spread": 0.1, "rounds": 5, "calls": 1, "dtype": "float32"} | more
    return Timing(topic, name, 16, framework, mode, minimum, **more)


SLOW = timing("memory", "copy", "numpy", "copy", 4.0, moved=1000)
FAST = timing("memory", "copy", "torch", "copy", 2.0, moved=1000, spread=0.2)
PRODUCTS = [
    timing(limits.YARDSTICKS, f"matmul {dtype}", minimum=minimum, operations=400, dtype=dtype)
    for dtype, minimum in (("float32", 1.0), ("float64", 2.0))
]


def test_the_limit_is_the_faster_copy() -> None:
    assert limits.copy([SLOW, FAST]) == 500.0
    assert limits.copy(PRODUCTS) == 0


def test_each_dtype_has_a_product_of_its_own() -> None:
    rates = [limits.product(PRODUCTS, dtype) for dtype in ("float32", "float64", "bfloat16")]
    assert rates == [400.0, 200.0, 0]


@pytest.mark.parametrize(
    ("timed", "expected"),
    [
        (timing(moved=250), limits.Fraction(0.5, "copy")),
        (timing(moved=250, operations=100), limits.Fraction(0.25, "product")),
        (timing(operations=100, dtype="float64"), limits.Fraction(0.5, "product")),
        (timing(operations=100, dtype="bfloat16"), None),
        (timing(), None),
        (FAST, None),
        (PRODUCTS[0], None),
    ],
    ids=["copy", "product", "dtype", "not measured", "not stated", "a copy", "a yardstick"],
)
def test_a_function_is_held_against_what_limits_it(timed, expected) -> None:
    assert limits.fraction(timed, [SLOW, FAST, *PRODUCTS]) == expected


def test_the_limit_is_of_the_device_that_computed() -> None:
    """Made up: JAX on a TPU, NumPy and PyTorch on the processor."""
    there = timing("memory", "copy", "jax", "copy", 0.01, moved=1000, platform="tpu")
    here = [dataclasses.replace(copy, platform="cpu") for copy in (SLOW, FAST)]
    shares = [
        limits.fraction(timing(moved=250, platform=platform), [there, *here])
        for platform in ("tpu", "cpu", "gpu")
    ]
    assert shares == [limits.Fraction(0.0025, "copy"), limits.Fraction(0.5, "copy"), None]


def test_what_was_not_measured_is_named() -> None:
    names = ["a copy", "the smallest call", "products in each dtype"]
    assert limits.missing([timing()]) == names
    assert limits.missing([FAST, *PRODUCTS]) == names[1:2]
    assert limits.missing([FAST, *PRODUCTS, timing(limits.YARDSTICKS, "dispatch")]) == []


def test_without_a_copy_there_is_no_fraction() -> None:
    assert limits.fraction(timing(moved=250), PRODUCTS) is None


def test_large_calls_of_a_pair_are_plain_and_ways_to_write_memory_are_not() -> None:
    large = timing(moved=250)
    ways = [timing("memory", "scale", mode=mode, moved=8) for mode in ("compiled", "in place")]
    found = plain_rows(rows([large, *ways, FAST]))
    assert [(row.topic, row.name) for row in found] == [("tracing", "f")]
