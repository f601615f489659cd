"""Random numbers under vmap: one for all, or one for each."""

import numpy as np
import pytest


def test_jax_maps_over_keys_as_a_loop_would(jax, in_jax) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    keys = jax.random.split(jax.random.key(5), 3)
    loop = [in_jax._with_noise(row, key) for row, key in zip(x, keys, strict=True)]
    assert np.array_equal(in_jax.noisy_batch(x, 5), np.stack(loop))


def test_one_key_gives_every_example_the_same_numbers(jax) -> None:
    key = jax.random.key(0)
    noisy = jax.vmap(lambda x: x + jax.random.uniform(key))(np.zeros(3))
    assert len(np.unique(noisy)) == 1


def test_rbg_draws_a_batch_by_its_first_key(jax) -> None:
    keys = jax.random.split(jax.random.key(0, impl="rbg"), 3)
    batched = jax.vmap(lambda key: jax.random.uniform(key, 2))(keys)
    assert np.array_equal(batched, jax.random.uniform(keys[0], (3, 2)))


def test_torch_asks_what_is_meant(torch) -> None:
    def noisy(x):
        return x + torch.rand(())

    with pytest.raises(RuntimeError, match="randomness error mode"):
        torch.vmap(noisy)(torch.zeros(3))
    with pytest.raises(RuntimeError, match="Only allowed values for randomness"):
        torch.vmap(noisy, randomness="other")(torch.zeros(3))
    for randomness, numbers in (("same", 1), ("different", 3)):
        drawn = torch.vmap(noisy, randomness=randomness)(torch.zeros(3))
        assert len(drawn.unique()) == numbers


def test_torch_draws_for_the_whole_batch_at_once(torch, in_torch) -> None:
    def two(x):
        return torch.stack([torch.rand(()), torch.rand(())]) + x

    torch.manual_seed(0)
    batched = torch.vmap(two, randomness="different")(torch.zeros(3))
    torch.manual_seed(0)
    assert torch.equal(batched, torch.rand(2, 3).T)
    torch.manual_seed(5)
    noise = torch.randn(3, 4)
    assert torch.equal(in_torch.noisy_batch(torch.zeros(3, 4), 5), noise)


def test_a_seed_inside_torchs_vmap_does_not_make_examples_equal(torch) -> None:
    def seeded(x):
        torch.manual_seed(0)
        return x + torch.rand(())

    drawn = torch.vmap(seeded, randomness="different")(torch.zeros(3))
    assert len(drawn.unique()) == 3


def test_torch_cannot_seed_by_example(torch) -> None:
    def seeded(seed):
        return torch.rand((), generator=torch.Generator().manual_seed(seed))

    with pytest.raises(RuntimeError, match="manual_seed expected a long"):
        torch.vmap(seeded, randomness="different")(torch.arange(3))


def test_dropout_out_of_training_draws_nothing(torch) -> None:
    layer, x = torch.nn.Dropout(), torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        torch.vmap(layer)(x)
    before = torch.get_rng_state()
    assert torch.equal(torch.vmap(layer.eval())(x), x)
    assert torch.equal(torch.get_rng_state(), before)
