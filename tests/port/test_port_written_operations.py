"""Operations that no call of PyTorch covers: each is written as it ran, and runs so."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxvstorch

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
optax = pytest.importorskip("optax", reason="optax is not installed")

X = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4)), jnp.float32)
IMAGES = jnp.asarray(np.random.default_rng(1).standard_normal((1, 2, 4, 4)), jnp.float32)
KERNEL = jnp.asarray(np.random.default_rng(2).standard_normal((3, 2, 2, 2)), jnp.float32)
SAME = "gave the same in PyTorch: "
FUNCTIONS = {
    "losses": (lambda x, y: optax.losses.poly_loss_cross_entropy(x, y), X, jax.nn.softmax(X)),
    "numbers in a jitted function": (lambda x: jax.nn.logmeanexp(x), X),
    "integers": (lambda x: lax.shift_right_logical(x, x), jnp.array([8, -1])),
    "powers": (lambda x: lax.reciprocal(x), X),
    "several results": (lambda x: lax.split(x, (1, 3), axis=1), X),
    "writing into an array": (
        lambda x, y: lax.conv_transpose(
            x, y, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")
        ),
        IMAGES, KERNEL,
    ),
    "infinity": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID"), X),
    "complex numbers": (lambda x: lax.fft(x, "fft", (4,)), lax.complex(X, X)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_written_runs(name) -> None:
    function, *args = FUNCTIONS[name]
    (line,) = jaxvstorch.port(function, *args).lines.values()
    (call,) = line.calls
    statements = call.note.partition(SAME)[2].split("; ")
    scope = {"torch": torch} | dict(
        zip("xy", map(torch.tensor, map(np.asarray, args)), strict=False)
    )
    for statement in statements:
        exec(statement, scope)
    expected = jax.tree.leaves(function(*args))
    names = [statement.partition(" = ")[0] for statement in statements][-len(expected) :]
    for result, one in zip(names, expected, strict=True):
        np.testing.assert_allclose(scope[result], one, rtol=1e-5, atol=1e-6)


def test_numbers_of_other_types_keep_theirs() -> None:
    def shifted(x):
        return lax.reduce_precision(x, 8, 7) * jnp.float16(2), jax.nn.log1mexp(jnp.abs(x) + 1)

    text = str(jaxvstorch.port(shifted, X.astype(jnp.float16)))
    assert "dtype=torch.float16" in text
    assert "TypedFloat" not in text


def test_a_long_list_is_cut() -> None:
    labels = jnp.array([0, 2, 1])
    text = str(jaxvstorch.port(lambda x: optax.losses.ntxent(x, labels), X))
    assert "more" in text.partition(SAME)[2]
