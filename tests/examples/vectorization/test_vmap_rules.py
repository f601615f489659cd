"""Operations without a batching rule, and what each framework makes of them."""

import numpy as np
import pytest
from vmap_programs import torch_operations

X = np.array([[1, -2, 3], [4, 5, -6]], np.float32)

SLOW = {
    "histc": lambda torch, x: torch.histc(x, bins=2),
    "bincount": lambda torch, x: torch.bincount(x.long().abs(), minlength=9),
    "take": lambda torch, x: torch.take(x, torch.tensor([0, 1])),
    "isin": lambda torch, x: torch.isin(x, x[:1]),
    "histogram": lambda torch, x: torch.histogram(x, 2)[0],
}


@pytest.mark.parametrize("name", SLOW)
def test_torch_warns_of_an_operation_without_a_rule(torch, name: str) -> None:
    with pytest.warns(UserWarning, match="performance drop"):
        torch.vmap(lambda x: SLOW[name](torch, x))(torch.tensor(X))


def test_torch_calls_such_an_operation_once_for_each_example(torch) -> None:
    batched = torch.vmap(lambda x: torch.histc(x, bins=2))
    with pytest.warns(UserWarning, match="performance drop"):
        operations = torch_operations(batched, torch.ones(4, 3))
    assert operations.count("aten.histc.default") == 4


def test_what_writes_into_out_and_equal_have_not_even_that(torch) -> None:
    for function in (lambda x: torch.sin(x, out=torch.zeros(3)), lambda x: torch.equal(x, x)):
        with pytest.raises(RuntimeError, match="Batching rule not implemented"):
            torch.vmap(function)(torch.tensor(X))


def test_jax_has_no_loop_for_a_primitive_without_a_rule(jax) -> None:
    from jax.extend.core import Primitive

    unbatched = Primitive("unbatched")
    unbatched.def_abstract_eval(lambda x: x)
    with pytest.raises(NotImplementedError, match="Batching rule for 'unbatched'"):
        jax.vmap(unbatched.bind)(jax.numpy.asarray(X))


def test_a_callback_of_jax_says_what_becomes_of_a_batch(jax) -> None:
    shapes = []

    def sine(x):
        shapes.append(x.shape)
        return np.sin(x)

    def called(method):
        callback = jax.pure_callback
        return jax.vmap(lambda x: callback(sine, x, x, vmap_method=method))(jax.numpy.asarray(X))

    with pytest.raises(NotImplementedError, match="vmap_method"):
        called(None)
    for method in ("sequential", "expand_dims"):
        np.testing.assert_allclose(called(method), np.sin(X), rtol=1e-6)
    assert shapes == [(3,), (3,), (2, 3)]


def test_custom_vjp_needs_no_rule_for_batches(jax) -> None:
    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, gradient: (2 * x * gradient,))
    assert jax.vmap(jax.grad(square))(jax.numpy.array([1.0, 2.0])).tolist() == [2, 4]
