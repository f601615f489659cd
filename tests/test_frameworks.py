"""What the instruments ask of a framework, the same of both."""

import re
import sys
from importlib.util import find_spec

import ml_dtypes
import numpy as np
import pytest

from jaxvstorch import _frameworks

INSTALLED = [name for name in _frameworks.FRAMEWORKS if find_spec(name)]
DTYPES = [
    "bool", "int8", "uint8", "int16", "int32", "int64", "float16", ml_dtypes.bfloat16, "float32",
    "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.fixture(params=INSTALLED)
def adapter(request):
    return _frameworks.adapter(request.param)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)], ids=str)
def test_arrays_come_back_as_they_went(adapter, dtype, shape) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    with adapter.double_precision():
        back = adapter.to_numpy(adapter.from_numpy(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert np.array_equal(back, array)


def test_views_come_back_as_they_went(adapter) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)[::-1, ::2].T
    assert np.array_equal(adapter.to_numpy(adapter.from_numpy(array)), array)


def test_no_memory_is_shared(adapter) -> None:
    array = np.zeros(1024, np.float32)
    moved = adapter.from_numpy(array)
    array += 1
    back = adapter.to_numpy(moved)
    assert not back.any()
    back += 1  # and it is the caller's own
    assert not adapter.to_numpy(moved).any()


def test_what_is_no_array_stays(adapter) -> None:
    function = len
    for value in (1, 2.5, True, "relu", None, function, (1, 2)):
        assert adapter.from_numpy(value) is value
        assert adapter.to_numpy(value) == value


def test_arrays_inside_tuples_and_dicts(adapter) -> None:
    x = adapter.from_numpy(np.float32(2))
    found = adapter.to_numpy({"a": (x, 3), "b": [x]})
    assert found == {"a": (2, 3), "b": [2]}
    assert isinstance(found["a"][0], np.ndarray)


def test_jax_does_not_narrow_in_silence() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(
        TypeError, match="JAX would turn float64 into float32: 64-bit types are off"
    ):
        _frameworks.adapter("jax").from_numpy(np.ones(2))


@pytest.mark.parametrize("dtype", ["U1", "object", "datetime64[D]", "longdouble", ">f4", "f4,i4"])
def test_what_jax_has_no_arrays_of_is_named(dtype) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    array = np.zeros(2, dtype)
    if dtype == ">f4" and sys.byteorder == "big":
        array = array.astype("<f4")
    with pytest.raises(TypeError, match=rf"JAX has no arrays of {re.escape(str(array.dtype))}: "):
        _frameworks.adapter("jax").from_numpy(array)


def test_gradients_are_of_the_weighted_sum_and_leave_integers_out(adapter) -> None:
    def function(x, y):
        return x * y, (x > 0), y

    x, y = (adapter.from_numpy(np.float32([1, 2]) * k) for k in (1, 3))
    weights = (np.array([0.5, 1.0]), np.ones(2), np.array([2.0, 2.0]))
    value, found = adapter.value_and_gradients(
        function, lambda: (x, y), (1, 0), lambda value: weights
    )
    assert len(value) == 3
    found = adapter.to_numpy(tuple(found))
    assert [gradient.tolist() for gradient in found] == [[2.5, 4.0], [1.5, 6.0]]


def test_compiled_functions_and_waiting(adapter) -> None:
    options = {} if adapter.__name__.endswith("jax") else {"backend": "eager"}
    doubled = adapter.compile(lambda x, by: x * by, ("by",), **options)
    value = adapter.wait(doubled(adapter.from_numpy(np.float32(2)), by=3))
    assert adapter.to_numpy(value) == 6


def test_an_unknown_framework_is_named() -> None:
    with pytest.raises(ValueError, match="framework must be 'jax' or 'torch', not 'tensorflow'"):
        _frameworks.require("tensorflow", wanted_by="a test")
