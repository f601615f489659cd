"""Pooling that a reader pastes, at sizes that PyTorch's samples leave out."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxvstorch._port.map import paste

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("size", [0, (0, 2), (2, 0), (2, None)])
def test_adaptive_average_has_the_size_asked_for(size: int | tuple[int | None, ...]) -> None:
    image = np.arange(60, dtype=np.float32).reshape(2, 5, 6)
    expected = torch.nn.functional.adaptive_avg_pool2d(torch.from_numpy(image), size)
    result = paste.adaptive_avg_pool(jnp.asarray(image), size, 2)
    assert result.shape == tuple(expected.shape)
    np.testing.assert_allclose(result, expected.numpy(), rtol=1e-6)
