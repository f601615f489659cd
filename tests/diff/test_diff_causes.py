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
        # JAX's median has PyTorch's among its steps.
        (lambda x: 3 * torch.median(2 * x, 0).values, lambda x: 3 * jnp.median(2 * x, 0),
         "with torch.median in place of jnp.median(input, axis=dim, keepdims=keepdim), JAX agrees"),
        (lambda x: torch.linalg.eigh(x.T @ x + torch.tril(x.T @ x)).eigenvalues,
         lambda x: jnp.linalg.eigh(x.T @ x + jnp.tril(x.T @ x))[0],
         "with torch.linalg.eigh in place of jnp.linalg.eigh(A, UPLO=UPLO), JAX agrees"),
    ],
    ids=["gelu", "silu", "silu of JAX", "median", "eigh"],
)  # fmt: skip
def test_it_is_found_however_the_sides_are_written(first, second, cause) -> None:
    (difference,) = diff(first, second, (X,)).differences
    assert difference.cause == cause
