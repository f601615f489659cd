"""A float64 run that is only as precise as float32 is no difference; one that is off is."""

import numpy as np
import pytest

from jaxvstorch import check_parity

jax = pytest.importorskip("jax", reason="parity compares both frameworks; JAX is not installed")
torch = pytest.importorskip("torch", reason="parity compares both frameworks; no PyTorch here")
jnp = jax.numpy

X = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)
ONLY = (
    "same: the float64 run is only as precise as float32, in which {} computes part of it: error "
)


def unwrapped(report) -> str:
    return " ".join(str(report).split())


def jax_norm(x):
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)


def torch_norm(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def jax_narrow(x):
    return jax_norm(x.astype(jnp.float32)).astype(x.dtype)


def torch_narrow(x):
    return torch_norm(x.float()).type_as(x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("jax_function", "torch_function", "titles"),
    [
        (jax_narrow, torch_norm, "JAX"),
        (jax_norm, torch_narrow, "PyTorch"),
        (jax.jit(jax_narrow), torch_narrow, "JAX and PyTorch"),
    ],
)
def test_a_half_that_computes_in_float32(jax_function, torch_function, titles, dtype) -> None:
    report = check_parity(jax_function, torch_function, (X.astype(dtype),), gradient=(0,))
    report.require()
    for kind in ("output", "gradient"):
        assert f"jax float64 {kind} 0: {ONLY.format(titles)}" in unwrapped(report)


def test_with_a_reference() -> None:
    x = X.astype(np.float64)
    report = check_parity(jax_norm, torch_narrow, (x,), reference=np.vectorize(float))
    assert not report.same
    norm = check_parity(
        jax_norm, torch_narrow, (x,),
        reference=lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6),
    )  # fmt: skip
    norm.require()
    assert f"torch output 0: {ONLY.format('PyTorch')}" in unwrapped(norm)
    assert "jax output 0: same: float64, error" in str(norm)


def off(x):
    return jax_norm(x) * (1 + 1e-7)


@pytest.mark.parametrize(
    "jax_function",
    [
        off,
        lambda x: off(x) + 0 * x.astype(jnp.float32),  # it narrows what does not matter
        lambda x: jnp.where(x > 1, off(x), jax_narrow(x)),  # float32 in some elements alone
        lambda x: jnp.round(jax_norm(x), 7),  # it rounds, and not to float32
    ],
    ids=["off", "beside", "elements", "rounds"],
)
def test_a_difference_in_float64_stays_one(jax_function) -> None:
    report = check_parity(jax_function, torch_norm, (X,))
    wrong = [row.what for row in report.comparisons if not row.same]
    assert wrong == ["jax float64 output 0"]


def test_an_error_too_large_for_float32_stays_one() -> None:
    report = check_parity(lambda x: jax_narrow(x) * 1.001, torch_norm, (X,))
    assert "jax float64 output 0: DIFFERENT" in str(report)


def test_float32_of_what_does_not_move() -> None:
    """The angles of positions follow no input of float64, and so do not jump."""
    positions = np.arange(8)

    def in_jax(x, positions):
        return jnp.cos(positions.astype(jnp.float32) * jnp.float32(0.3)).astype(x.dtype)

    def in_torch(x, positions):
        return torch.cos(positions.float() * 0.3).to(x.dtype)

    check_parity(in_jax, in_torch, (X, positions)).require()
    report = check_parity(lambda x, p: in_jax(x, p) + 1e-7, in_torch, (X, positions))
    assert "jax float64 output 0: DIFFERENT" in str(report)
