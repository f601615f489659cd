"""Compare arrays in a test.

NumPy compares arrays of either framework. The tolerances of PyTorch depend on the dtype, 1.3e-6 and
1e-5 for float32; NumPy's are 1e-7 and 0, and stay so.
"""

PAGE = "porting"
NAMES = (
    "torch.testing.assert_close",
    "torch.testing.assert_allclose",
    "torch.allclose",
    "torch.equal",
    "jnp.allclose",
    "jnp.array_equal",
)


def with_torch():
    import torch

    a, b = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.000001])
    torch.testing.assert_close(a, b)
    try:
        torch.testing.assert_close(a, b, rtol=1e-8, atol=0)
    except AssertionError as error:
        text = str(error)
    return torch.allclose(a, b), torch.equal(a, b), "not close" in text


def with_jax():
    import jax.numpy as jnp
    import numpy as np

    a, b = jnp.array([1.0, 2.0]), jnp.array([1.0, 2.000001])
    np.testing.assert_allclose(a, b, rtol=1.3e-6, atol=1e-5)
    try:
        np.testing.assert_allclose(a, b, rtol=1e-8)
    except AssertionError as error:
        text = str(error)
    return jnp.allclose(a, b), jnp.array_equal(a, b), "Not equal" in text
