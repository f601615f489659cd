"""Causes that ``diff`` finds where no planted fault of the models has them."""

import math

import numpy as np
import pytest

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")

import jax.numpy as jnp  # noqa: E402  (after the skips)

from jaxvstorch import diff  # noqa: E402

X = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)


def gelu_written_out(x: torch.Tensor) -> torch.Tensor:
    """GELU by tanh, as transformers' GPT-2 has it."""
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
    return 0.5 * x * (1.0 + torch.tanh(inner))


@pytest.mark.parametrize(
    ("first", "second", "cause"),
    [
        (lambda x: 3 * gelu_written_out(2 * x),
         lambda x: 3 * jax.nn.gelu(2 * x, approximate=False),
         "with gelu by tanh in place of gelu, JAX agrees"),
        (lambda x: (2 * x) * torch.sigmoid(2 * x), lambda x: jax.nn.gelu(2 * x, approximate=False),
         "with silu in place of gelu, JAX agrees"),
        (lambda x: jax.nn.silu(2 * x), lambda x: jax.nn.gelu(2 * x),
         "with silu in place of gelu by tanh, JAX 2 agrees"),
        (lambda x: torch.erf(x * x), lambda x: jnp.tanh(x * x),
         "JAX computes tanh of the same numbers, PyTorch does not"),
        # JAX's median has PyTorch's among its steps.
        (lambda x: 3 * torch.median(2 * x, 0).values, lambda x: 3 * jnp.median(2 * x, 0),
         "with torch.median in place of jnp.median(input, axis=dim, keepdims=keepdim), JAX agrees"),
        (lambda x: torch.linalg.eigh(x.T @ x + torch.tril(x.T @ x)).eigenvalues,
         lambda x: jnp.linalg.eigh(x.T @ x + jnp.tril(x.T @ x))[0],
         "with torch.linalg.eigh in place of jnp.linalg.eigh(A, UPLO=UPLO), JAX agrees"),
    ],
    ids=["gelu", "silu", "silu of JAX", "erf", "median", "eigh"],
)  # fmt: skip
def test_it_is_found_however_the_sides_are_written(first, second, cause) -> None:
    (difference,) = diff(first, second, (X,)).differences
    assert difference.cause == cause


def test_two_faults_side_by_side_are_two() -> None:
    """Between them lies no array that both sides have."""

    def original(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (8,)))

    def port(x: jax.Array) -> jax.Array:
        x = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-3)
        return jax.nn.gelu(x)

    for float64 in (True, False):
        causes = [found.cause for found in diff(original, port, (X,), float64=float64).differences]
        assert causes == [
            "with eps=1e-05 in place of eps=0.001, JAX agrees",
            "with approximate='none' in place of approximate='tanh', JAX agrees",
        ]


def test_a_number_that_was_rounded_to_float32_is_the_same() -> None:
    def original(x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(0.1 * x)

    assert diff(original, lambda x: jnp.tanh(np.float32(0.1) * x), (X,)).same
    (found,) = diff(original, lambda x: jnp.tanh(np.float32(0.2) * x), (X,)).differences
    assert found.cause == "the constant 0.1 in PyTorch is 0.2 in JAX"
