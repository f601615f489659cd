"""Which dtype a result has, and when float64 is float32."""

import warnings

import numpy as np
import pytest


def test_a_zero_dimensional_array_widens_in_jax_alone(jax, torch) -> None:
    jnp, half = jax.numpy, torch.ones(2, dtype=torch.bfloat16)
    x = jnp.ones(2, "bfloat16")
    assert (x + jnp.float32(1)).dtype == (x + np.float32(1)).dtype == "float32"
    assert (half + torch.tensor(1.0)).dtype == (half + np.float32(1)).dtype == torch.bfloat16
    assert (half[0] + torch.tensor(1.0)).dtype == torch.float32
    assert (x + 1.0).dtype == (x + jnp.asarray(1.0)).dtype == "bfloat16"


def test_what_promotes_alike(jax, torch) -> None:
    for left, right, expected in (
        ("bfloat16", "float32", "float32"),
        ("bfloat16", "float16", "float32"),
        ("int32", "float16", "float16"),
        ("uint8", "int8", "int16"),
    ):
        ours = jax.numpy.ones(2, left) + jax.numpy.ones(2, right)
        theirs = torch.ones(2, dtype=getattr(torch, left)) + torch.ones(
            2, dtype=getattr(torch, right)
        )
        assert (str(ours.dtype), str(theirs.dtype)) == (expected, f"torch.{expected}")


def test_products_promote_in_jax_alone(jax, torch) -> None:
    jnp = jax.numpy
    assert (jnp.ones((2, 2), "bfloat16") @ jnp.ones((2, 2))).dtype == "float32"
    with pytest.raises(RuntimeError, match="same dtype"):
        torch.ones(2, 2, dtype=torch.bfloat16) @ torch.ones(2, 2)


def test_nothing_promotes_eight_bits(jax, torch) -> None:
    x = jax.numpy.ones(2, "float8_e4m3fn")
    with pytest.raises(jax.dtypes.TypePromotionError, match="8-bit"):
        x + jax.numpy.ones(2)
    with pytest.raises(RuntimeError, match="Float8"):
        torch.ones(2).to(torch.float8_e4m3fn) + torch.ones(2)


def test_numpy_s_float64_becomes_float32_in_silence(jax) -> None:
    with warnings.catch_warnings(action="error"):
        for made in (
            jax.numpy.asarray(np.ones(2)),
            jax.device_put(np.ones(2)),
            jax.jit(lambda x: x)(np.ones(2)),
            jax.numpy.ones(2) * np.ones(2),
        ):
            assert made.dtype == "float32"
        assert jax.numpy.asarray(np.int64(2**40)) == 0


def test_a_dtype_that_is_asked_for_is_warned_of(jax) -> None:
    for make in (
        lambda: jax.numpy.zeros(2, "float64"),
        lambda: jax.numpy.ones(2).astype("float64"),
        lambda: jax.numpy.linspace(0, 1, 3, dtype="float64"),
    ):
        with pytest.warns(UserWarning, match="will be truncated to dtype float32"):
            assert make().dtype == "float32"


def test_inside_the_context_new_arrays_are_wide_and_old_ones_stay(jax) -> None:
    jnp = jax.numpy
    narrow = jnp.ones(2)
    with jax.enable_x64(True):
        assert jnp.ones(2).dtype == jnp.asarray(1.0).dtype == "float64"
        assert jnp.arange(2).dtype == "int64"
        assert (narrow * 1.0).dtype == (narrow * np.pi).dtype == "float32"
        assert (narrow * np.float64(1)).dtype == "float64"
        wide = jnp.ones(2)
    assert wide.dtype == "float64"


def test_a_wide_array_outside_the_context_is_computed_with_in_float32(jax) -> None:
    with jax.enable_x64(True):
        wide = jax.numpy.ones(2)
    with pytest.warns(UserWarning, match="will be truncated"):
        assert (wide + 1).dtype == "float32"


def test_torch_s_default_dtype(torch) -> None:
    assert torch.tensor(np.ones(2)).dtype == torch.float64
    assert (np.float64(2) * torch.ones(2)).dtype == torch.float32
    assert (torch.from_numpy(np.ones(2)) * torch.ones(2)).dtype == torch.float64
    before = torch.ones(2)
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.ones(2).dtype == torch.tensor(1.0).dtype == torch.float64
        assert torch.nn.Linear(2, 2).weight.dtype == torch.float64
        assert (torch.ones(2, dtype=torch.int32) / 2).dtype == torch.float64
        assert (before * 1.5).dtype == torch.float32
        with pytest.raises(TypeError, match="only floating-point"):
            torch.set_default_dtype(torch.int32)
    finally:
        torch.set_default_dtype(torch.float32)
