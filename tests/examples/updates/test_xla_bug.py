"""A bug of XLA that the page of this topic shows."""

import pytest


def test_a_shift_before_a_reshape_is_wrong_on_a_cpu(jax) -> None:
    """openxla/xla#49176; where this fails the bug is gone, and its section of the page too."""
    if not (0, 10) <= jax.__version_info__[:2] <= (0, 12):
        pytest.skip("seen with JAX 0.10.2 and 0.12.0")

    def shifted(x):
        base = x + 1
        return base.at[1:].set(base[:-1]).reshape(1, 4, 1)

    x = jax.numpy.arange(4.0).reshape(4, 1)
    assert shifted(x).ravel().tolist() == [1, 1, 2, 3]
    assert jax.jit(shifted)(x).ravel().tolist() == [1, 1, 1, 1]
