"""The digits, and weights that training elsewhere does not write into."""

from typing import Any

import numpy as np
import pytest

from jaxvstorch.examples.porting import data

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def digits() -> tuple[data.Digits, data.Digits]:
    return data.load()


def test_the_data_are_as_the_page_says(digits) -> None:
    train, test = digits
    assert train.images.shape == (1500, 8, 8)
    assert test.images.shape == (297, 8, 8)
    assert train.images.dtype == np.float32
    assert (train.images.min(), train.images.max()) == (0, 1)
    assert set(train.labels) == set(range(10))


def test_batches_are_the_same_for_the_same_seed_and_shuffled_after_each_pass(digits) -> None:
    first, again = (list(data.batches(digits[0], 46)) for _ in range(2))
    assert len(first) == 46
    assert all(np.array_equal(a.images, b.images) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].labels, first[23].labels)  # 23 batches are a pass
    other = next(data.batches(digits[0], 1, seed=1))
    assert not np.array_equal(first[0].labels, other.labels)


def test_training_in_pytorch_does_not_write_into_the_weights_that_were_carried(
    jax, torch, digits
) -> None:
    pytest.importorskip("flax")
    from jaxvstorch.examples.porting import jax_nnx, jax_optax, torch_module, weights

    model, optimizer = torch_module.make()
    net: Any = jax_nnx.make(1)[0]
    weights.load(net, model.state_dict(), weights.FLATTENED)
    params = jax_optax.init({k: v.numpy() for k, v in model.state_dict().items()}).params
    kept = weights.state_dict(net, weights.FLATTENED)
    batch = next(data.batches(digits[0], 1))
    images, labels = torch.from_numpy(batch.images)[:, None], torch.from_numpy(batch.labels)
    torch_module.train_step(model, optimizer, images, labels)
    for name, array in weights.state_dict(net, weights.FLATTENED).items():
        np.testing.assert_array_equal(array, kept[name])
    for name, array in params.items():
        np.testing.assert_array_equal(array, kept[name])
