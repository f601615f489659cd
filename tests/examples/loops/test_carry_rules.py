"""What the state of a loop may be."""

import pytest


def test_jax_carry_keeps_its_shape_dtype_and_structure(in_jax) -> None:
    lax, jnp, x = in_jax.lax, in_jax.jnp, in_jax.x
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


def test_jax_carry_that_is_a_python_number_takes_the_dtype_of_the_body(in_jax) -> None:
    total = in_jax.lax.fori_loop(0, 3, lambda _, total: total + in_jax.jnp.float32(0.5), 1)
    assert total == 2.5
    assert total.dtype == "float32"


def test_torch_carry_keeps_its_shape_and_dtype(in_torch) -> None:
    torch, x = in_torch.torch, in_torch.x
    with pytest.raises(in_torch.wrong, match=r"differ in 'dtype: torch.float64 vs torch.float32'"):
        torch.while_loop(lambda c: c.sum() < 9, lambda c: (c.double() + 1,), (x,))
    with pytest.raises(in_torch.wrong, match=r"differ in 'shape: torch.Size\(\[6\]\)"):
        torch.while_loop(lambda c: c.sum() < 9, lambda c: (torch.cat([c, c]),), (x,))
    with pytest.raises(in_torch.wrong, match="unsupported cond_fn return type"):
        torch.while_loop(lambda c: c < 9, lambda c: (c + 1,), (x,))


def test_python_loops_have_no_such_rule(in_jax, in_torch) -> None:
    def double(concatenate, x):
        for _ in range(2):
            x = concatenate([x, x])
        return x

    assert in_jax.jax.jit(lambda x: double(in_jax.jnp.concatenate, x))(in_jax.x).shape == (12,)
    assert in_torch.graph(lambda x: double(in_torch.torch.cat, x))(in_torch.x).shape == (12,)
