"""Bad input to ``explain`` gives one clear error, in both frameworks."""

import math
from unittest import mock

import pytest
from commented_functions import X, given

from jaxvstorch import explain


def square(x):
    return x * x


def power(x, exponent):
    return x**exponent


class _Scale:
    def __call__(self, x):
        return x * 2


def not_yet(x):
    yield x


async def later(x):
    return x


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        (not_yet, [X], "not_yet is a generator function"),
        (later, [X], "later is a coroutine function"),
        (_Scale, [X], "must not be a class: pass an instance of _Scale"),
        (3, [X], "function must be callable, not int"),
        (power, [X], "power.* does not take these arguments: .*'exponent'"),
        (square, [X, X], "square.* does not take these arguments: too many"),
    ],
)
def test_bad_input_is_one_clear_error(framework, function, arguments, words) -> None:
    with pytest.raises(TypeError, match=words):
        explain(function, *given(framework, *arguments))


def test_what_torch_jit_made_is_not_taken() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    # PyTorch 2.13 has the one, 2.14 the other.
    with pytest.warns((DeprecationWarning, FutureWarning), match=r"torch\.jit"):
        traced = torch.jit.trace(torch.nn.Linear(4, 3), torch.ones(4))
    with pytest.raises(TypeError, match=r"compiled by torch\.jit, .*: explain what"):
        explain(traced, torch.ones(4))


def test_a_missing_argument_is_named(framework) -> None:
    module = pytest.importorskip(framework)
    compiled = {"jax": "jit", "torch": "compile"}[framework]
    for function in (square, getattr(module, compiled)(square)):
        with pytest.raises(TypeError, match=r"square.* does not take these arguments: .*'x'"):
            explain(function, framework=framework)


def test_an_unknown_framework(x) -> None:
    with pytest.raises(ValueError, match="must be 'jax', 'torch' or 'both', not 'numpy'"):
        explain(square, x, framework="numpy")


def test_a_framework_that_nothing_tells() -> None:
    with pytest.raises(TypeError, match="pass framework='jax', 'torch' or 'both'"):
        explain(math.sin, 1.0)


def test_arrays_of_the_other_framework() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    with pytest.raises(TypeError, match="arrays of both frameworks"):
        explain(power, jax.numpy.ones(3), torch.ones(3))
    with pytest.raises(TypeError, match=r"the function uses JAX, .* PyTorch's"):
        explain(jax.jit(power), torch.ones(3))
    with pytest.raises(TypeError, match=r"the function uses PyTorch, .* JAX's arrays"):
        explain(torch.nn.Linear(4, 3), jax.numpy.ones(4))


def test_what_makes_attributes_as_they_are_asked_for_ends() -> None:
    numpy = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    mocked = mock.Mock(side_effect=lambda x: x * 2)
    explanation = explain(mocked, numpy.ones(2), framework="jax")
    assert explanation.programs


def test_an_argument_that_holds_itself() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    endless: list = []
    endless.append(endless)
    with pytest.raises(TypeError, match="holds itself"):
        explain(lambda x: 1.0, endless, framework="jax")


def test_a_dictionary_whose_keys_cannot_be_sorted(framework, x) -> None:
    def sums(by_key):
        return by_key[1] + by_key["a"]

    if framework == "torch":  # which keeps them in their order
        assert explain(sums, {1: x, "a": x}).programs
        return
    with pytest.raises(TypeError, match=r"JAX cannot flatten the arguments: .*sorting.* keys"):
        explain(sums, {1: x, "a": x})
