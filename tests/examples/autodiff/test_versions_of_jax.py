"""What another version of JAX does otherwise, and no page says."""

import numpy as np


def test_jax_0_12_has_another_slope_of_hypot_at_zero(jax) -> None:
    slope = jax.grad(lambda x: jax.numpy.hypot(x, 0.0))(0.0)
    np.testing.assert_equal(float(slope), 0.5 if jax.__version_info__ < (0, 12) else np.nan)
