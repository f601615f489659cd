"""First calls, from a fresh process that knows nothing."""

import functools
import os
import sys
import threading

import numpy as np
import pytest
from needs import needs_compiler

from jaxvstorch import _measure
from jaxvstorch._frameworks import adapter


def polynomial(x):
    return (x * x - x).sum()


def require_no_caches(x, framework):
    """Fails unless PyTorch's cache is this process's own and empty, or JAX's is switched off."""
    if framework == "torch":
        assert os.listdir(os.environ["TORCHINDUCTOR_CACHE_DIR"]) == []
    else:
        assert not sys.modules["jax"].config.jax_enable_compilation_cache
    return x


@pytest.mark.parametrize("module", ["jax.numpy", pytest.param("torch", marks=needs_compiler)])
def test_the_first_call_compiles_and_so_does_a_new_shape(module) -> None:
    library = pytest.importorskip(module, reason=f"{module} is not installed")
    short, long = (library.linspace(0, 1, 9),), (library.linspace(0, 1, 99),)
    first, later, new, last = _measure.fresh_calls(polynomial, short, short, long, long)
    assert first > 5 * later
    assert new > 5 * last


def require_one_compiled_before(x):
    """Fails unless Dynamo has compiled one function in this process."""
    assert sys.modules["torch"]._dynamo.utils.counters["stats"]["unique_graphs"] == 1
    return x


@needs_compiler
@pytest.mark.matrix
def test_another_function_is_compiled_first_on_request() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    call = functools.partial(_measure.fresh_calls, require_one_compiled_before, (torch.ones(3),))
    call(compiled=False, after_another=True)
    with pytest.raises(RuntimeError, match="in a fresh process: AssertionError"):
        call(compiled=False)


@pytest.mark.parametrize("framework", ["jax", pytest.param("torch", marks=pytest.mark.matrix)])
def test_nothing_compiled_comes_from_a_disk(framework) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    args = (np.ones(3, np.float32), framework)
    times = _measure.fresh_calls(require_no_caches, args, compiled=False, framework=framework)
    assert len(times) == 1


def require_arrays_inside(tree, kind):
    """Fails unless what a dict and a list hold are arrays of a framework."""
    assert type(tree["weights"][0]).__module__.partition(".")[0] == kind
    return tree["weights"][0] + tree["bias"]


@pytest.mark.parametrize(
    ("framework", "kind"),
    [("jax", "jaxlib"), pytest.param("torch", "torch", marks=pytest.mark.matrix)],
)
def test_arrays_inside_containers_arrive_as_arrays(framework, kind) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    tree = {"weights": [np.ones(3, np.float32)], "bias": np.float32(1)}
    for arrays in (tree, adapter(framework).from_numpy(tree["bias"])):
        args = (arrays if arrays is tree else {"weights": [arrays], "bias": arrays}, kind)
        _measure.fresh_calls(require_arrays_inside, args, compiled=False, framework=framework)


def test_a_function_that_a_decorator_has_compiled_can_be_sent() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch.examples.tracing.jax import nested_layer

    args = np.ones(3, np.float32), np.ones((3, 3), np.float32)
    assert _measure.first_call(nested_layer, *args, framework="jax") > 0
    address = f"{nested_layer.__module__}:nested_layer"
    assert _measure.fresh_calls(address, args, framework="jax")[0] > 0


def test_a_function_that_is_not_importable_is_refused() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(TypeError, match="must be importable by its name"):
        _measure.first_call(lambda x: x, np.ones(3), framework="jax")


deep: list[object] = []
for _ in range(100_000):
    deep = [deep]


class OnlyThere:
    """Pickled, it cannot be made again."""

    def __reduce__(self):
        return (int, ("no number",))


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (threading.Lock(), "of type lock, .*cannot pickle '_thread.lock'"),
        (lambda: 1, "of type function, .*<lambda>"),
        (deep, "of type list, .*RecursionError"),
    ],
    ids=["lock", "lambda", "deep"],
)
def test_an_argument_that_cannot_be_sent_is_named(argument, message) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    calls = (np.ones(3),), (np.ones(3), argument)
    with pytest.raises(TypeError, match=f"argument 1 of call 1, {message}.*Pass arrays, numbers"):
        _measure.fresh_calls(polynomial, *calls, framework="jax")


def test_an_argument_that_cannot_be_made_again_is_refused() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(RuntimeError, match=r"cannot be unpacked \(invalid literal"):
        _measure.first_call(polynomial, OnlyThere(), framework="jax")


def later(x):
    yield x


def test_a_function_that_puts_its_work_off_is_refused_there_too() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(RuntimeError, match="function returned a generator, which has not done"):
        _measure.fresh_calls(later, (np.float32(1),), compiled=False, framework="jax")


def require_double(x, flag):
    assert x.dtype == "float64"
    assert flag == "one name without a tuple"
    return x


def test_64_bit_types_are_on_in_the_fresh_process_where_they_are_here() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.enable_x64(True):
        calls = (jax.numpy.ones(3), "one name without a tuple")
        _measure.first_call(require_double, *calls, static_argnames="flag")
    with pytest.raises(RuntimeError, match="64-bit types are off"):
        _measure.first_call(polynomial, np.ones(3), framework="jax")


def test_an_error_in_the_fresh_process_comes_back() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(RuntimeError, match="in a fresh process: TypeError"):
        _measure.first_call(polynomial, framework="jax")


def die(x):
    os._exit(3)


def test_the_end_of_the_fresh_process_is_reported() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(RuntimeError, match="exit code 3"):
        _measure.fresh_calls(die, (np.ones(3, np.float32),), compiled=False, framework="jax")
