"""In which dtype sums and products add up, and what a rounding drops."""

import numpy as np
import pytest
from needs import needs_compiler

N = 4096


def full(framework, value, dtype):
    if framework.__name__ == "jax":
        return framework.numpy.full(N, value, dtype)
    return framework.full((N,), value, dtype=getattr(framework, dtype))


@pytest.mark.parametrize(("dtype", "stops"), [("bfloat16", 4), ("float16", 32)])
def test_a_sum_in_order_stops_growing(jax, torch, in_jax, in_torch, dtype, stops) -> None:
    for framework, half in ((jax, in_jax), (torch, in_torch)):
        x = full(framework, 0.01, dtype)
        exact = N * float(x[0])
        assert float(half.sum_in_order(x)) == stops
        for total in (half.sum_compensated(x), x.sum()):
            assert total.dtype == x.dtype
            assert abs(float(total) - exact) < 0.01 * exact


def test_compensation_is_good_to_the_last_bit_in_float32(jax, in_jax, in_torch, torch) -> None:
    for framework, half in ((jax, in_jax), (torch, in_torch)):
        x = full(framework, 0.01, "float32")
        exact = np.float32(N * np.float64(np.float32(0.01)))
        assert float(half.sum_compensated(x)) == exact
        assert float(half.sum_in_order(x)) != exact


def test_jax_writes_the_wider_sum_into_the_program(jax) -> None:
    jnp, x = jax.numpy, full(jax, 0.01, "bfloat16")

    def dtypes(function):
        return [str(e.outvars[0].aval.dtype) for e in jax.make_jaxpr(function)(x).jaxpr.eqns]

    assert dtypes(jnp.sum) == ["float32", "float32", "bfloat16"]
    assert dtypes(lambda x: jnp.sum(x, dtype="bfloat16")) == ["bfloat16"]
    assert dtypes(lambda x: jnp.sum(x, dtype="float32"))[-1] == "float32"
    assert dtypes(jnp.cumsum)[-1] == "bfloat16"


def test_jax_s_gradient_of_a_bias_is_a_sum_in_bfloat16(jax, torch) -> None:
    jnp = jax.numpy

    def loss(bias, rows):
        return 0.01 * (rows + bias.astype(jnp.bfloat16)).astype(jnp.float32).sum()

    bias, rows = jnp.zeros(2), jnp.zeros((N, 2), jnp.bfloat16)
    lines = jax.make_jaxpr(jax.grad(loss))(bias, rows).eqns
    sums = [e.outvars[0].aval for e in lines if e.primitive.name == "reduce_sum"]
    assert {str(a.dtype) for a in sums if a.shape == (2,)} == {"bfloat16"}
    theirs = torch.zeros(2, requires_grad=True)
    with torch.autocast("cpu"):
        out = torch.nn.functional.linear(torch.zeros(N, 2), torch.zeros(2, 2), theirs)
    (0.01 * out.float().sum()).backward()
    assert (theirs.grad - 41).abs().max() <= 0.25


def test_torch_keeps_the_wider_sum_inside(torch) -> None:
    x = full(torch, 0.01, "bfloat16")
    assert x.sum() == torch.sum(x, dtype=torch.float32).to(torch.bfloat16)
    assert x.sum(dtype=torch.float32).item() != x.sum().item() or x.sum().item() == 41
    assert x.cumsum(0)[-1].item() == 41


def test_jax_0_10_makes_a_product_of_bfloat16_one_of_float32(jax, plain_cpu) -> None:
    jnp = jax.numpy
    a, b = jnp.ones((4, 256), "bfloat16"), jnp.full((256, 4), 0.01, "bfloat16")
    lowered = jax.jit(lambda a, b: a @ b).lower(a, b)
    assert "-> tensor<4x4xbf16>" in lowered.as_text()
    if jax.__version_info__ < (0, 11):  # JAX 0.12 leaves it a product of bfloat16
        products = [line for line in lowered.compile().as_text().splitlines() if " dot(" in line]
        assert products
        assert all("= f32[" in line for line in products)


def test_the_wide_product_is_not_rounded(jax, torch, in_jax, in_torch) -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    half = [jax.numpy.asarray(a, "bfloat16") for a in (x, w)]
    exact = np.asarray(half[0], np.float64) @ np.asarray(half[1], np.float64)
    bias = np.zeros(64, np.float32)
    theirs = [torch.from_numpy(a).to(torch.bfloat16) for a in (x, w)]
    for wide, rounded in (
        (in_jax.dot_accumulated(*half, bias), half[0] @ half[1]),
        (in_torch.dot_accumulated(*theirs, torch.zeros(64)), (theirs[0] @ theirs[1]).float()),
    ):
        scale = np.abs(exact).max()
        assert np.abs(np.asarray(wide, np.float64) - exact).max() < 1e-5 * scale
        assert np.abs(np.asarray(rounded, np.float64) - exact).max() > 1e-3 * scale


def test_torch_mm_with_a_dtype_of_its_result_is_not_there_for_a_cpu(torch) -> None:
    a = torch.ones(2, 2, dtype=torch.bfloat16)
    with pytest.raises(NotImplementedError, match="CPU"):
        torch.mm(a, a, out_dtype=torch.float32)


def test_jax_rounds_each_operation_of_bfloat16_under_jit(jax, plain_cpu) -> None:
    one, small = jax.numpy.bfloat16(1), jax.numpy.bfloat16(0.001)
    difference = jax.jit(lambda x, d: (x + d) - x)
    assert difference(one, small) == 0


@needs_compiler
def test_inductor_does_not_round_between_operations(torch, fresh_torch_compile) -> None:
    one = torch.ones(64, dtype=torch.bfloat16)
    small = torch.full((64,), 0.001, dtype=torch.bfloat16)

    def difference(x, d):
        return (x + d) - x

    assert difference(one, small).eq(0).all()
    assert torch.compile(difference)(one, small).eq(small).all()
    careful = torch.compile(difference, options={"emulate_precision_casts": True})
    assert careful(one, small).eq(0).all()


def test_stochastic_rounding_is_right_on_average_and_exact_where_it_can_be(
    jax, torch, in_jax, in_torch
) -> None:
    bits = np.arange(2**16, dtype=np.int32)
    for framework, half in ((jax, in_jax), (torch, in_torch)):
        to = jax.numpy.asarray if framework is jax else torch.from_numpy
        x = np.full(2**16, 1.001, np.float32)
        rounded = half.stochastic_round(to(x), to(bits))
        values = np.asarray(
            jax.numpy.asarray(rounded, "float32") if framework is jax else rounded.float()
        )
        assert set(values.tolist()) == {1, 1.0078125}
        assert abs(values.mean(dtype=np.float64) - 1.001) < 1e-6
        exact = half.stochastic_round(to(np.full(2**16, 1.5, np.float32)), to(bits))
        assert (exact == 1.5).all()


def test_layer_norm_keeps_the_dtype_of_its_input(jax, torch, in_jax, in_torch) -> None:
    x = np.arange(8, dtype=np.float32).reshape(2, 4) + 500
    out = in_jax.layer_norm_mixed(jax.numpy.asarray(x, "bfloat16"), *jax.numpy.ones((2, 4)))
    assert out.dtype == "bfloat16"
    theirs = in_torch.layer_norm_mixed(torch.from_numpy(x).bfloat16(), *torch.ones(2, 4))
    assert theirs.dtype == torch.bfloat16
