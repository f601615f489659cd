"""What the state of a loop may be."""

import pytest
from loops_derivatives import X


def test_jax_carry_keeps_its_shape_dtype_and_structure(jax) -> None:
    lax, jnp, x = jax.lax, jax.numpy, jax.numpy.asarray(X)
    with pytest.raises(TypeError, match="so the dtypes do not match"):
        lax.fori_loop(0, 3, lambda _, count: count + 0.5, jnp.int32(0))
    with pytest.raises(TypeError, match="so the shapes do not match"):
        lax.while_loop(lambda c: c.sum() < 9, lambda c: jnp.concatenate([c, c]), x)
    with pytest.raises(TypeError, match="must have the same pytree structure"):
        lax.while_loop(lambda c: c[0].sum() < 9, lambda c: c[0] + 1, (x,))
    with pytest.raises(TypeError, match="scan body output must be a pair"):
        lax.scan(lambda c, _: c + 1, x, length=3)
    with pytest.raises(TypeError, match="cond_fun must return a boolean scalar"):
        lax.while_loop(lambda c: c < 9, lambda c: c + 1, x)


def test_jax_carry_that_is_a_python_number_takes_the_dtype_of_the_body(jax) -> None:
    total = jax.lax.fori_loop(0, 3, lambda _, total: total + jax.numpy.float32(0.5), 1)
    assert total == 2.5
    assert total.dtype == "float32"


def test_torch_carry_keeps_its_shape_and_dtype(torch) -> None:
    x, error = torch.tensor(X), torch._dynamo.exc.UncapturedHigherOrderOpError
    with pytest.raises(error, match=r"differ in 'dtype: torch.float64 vs torch.float32'"):
        torch.while_loop(lambda c: c.sum() < 9, lambda c: (c.double() + 1,), (x,))
    with pytest.raises(error, match=r"differ in 'shape: torch.Size\(\[6\]\)"):
        torch.while_loop(lambda c: c.sum() < 9, lambda c: (torch.cat([c, c]),), (x,))
    with pytest.raises(error, match="unsupported cond_fn return type"):
        torch.while_loop(lambda c: c < 9, lambda c: (c + 1,), (x,))


def test_python_loops_have_no_such_rule(jax, torch) -> None:
    def double(concatenate, x):
        for _ in range(2):
            x = concatenate([x, x])
        return x

    in_jax = jax.jit(lambda x: double(jax.numpy.concatenate, x))
    in_torch = torch.compile(lambda x: double(torch.cat, x), backend="eager", fullgraph=True)
    assert in_jax(X).shape == in_torch(torch.tensor(X)).shape == (12,)
