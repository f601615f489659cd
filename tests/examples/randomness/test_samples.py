"""The laws of what is drawn, and of what is made of uniform numbers."""

import numpy as np
import pytest

from jaxvstorch import frameworks

MANY = 50_000


@pytest.fixture
def call(framework, half):
    """A function of the half, called with NumPy arrays."""
    adapter = frameworks.adapter(framework)

    def call(name, *arguments):
        moved = [adapter.from_numpy(argument) for argument in arguments]
        return adapter.to_numpy(getattr(half, name)(*moved))

    return call


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def uniform(rng, *shape):
    return rng.uniform(1e-6, 1, shape).astype(np.float32)


def test_pi_is_estimated(call) -> None:
    assert call("estimate_pi", 0, MANY).shape == ()
    assert call("estimate_pi", 0, MANY) == pytest.approx(np.pi, abs=0.03)


def test_noise_is_standard_normal_and_another_for_each_example(call) -> None:
    noise = call("noisy_batch", np.zeros((MANY // 10, 10), np.float32), 0)
    assert noise.mean() == pytest.approx(0, abs=0.02)
    assert noise.std() == pytest.approx(1, abs=0.02)
    assert len(np.unique(noise[:, 0])) > MANY // 10 - 10


def test_box_muller_gives_independent_normal_numbers(call, rng) -> None:
    numbers = call("box_muller", uniform(rng, MANY), uniform(rng, MANY))
    np.testing.assert_allclose(np.cov(numbers), np.eye(2), atol=0.03)
    assert np.mean(np.abs(numbers[0]) < 1) == pytest.approx(0.6827, abs=0.01)


def test_exponential_numbers_have_mean_and_deviation_of_one_over_the_rate(call, rng) -> None:
    numbers = call("exponential_from_uniform", 1 - uniform(rng, MANY), np.float32(4))
    assert numbers.mean() == pytest.approx(0.25, abs=0.01)
    assert numbers.std() == pytest.approx(0.25, abs=0.01)


def test_classes_come_as_often_as_softmax_says(call, rng) -> None:
    share = np.array([0.1, 0.2, 0.7])
    logits = np.tile(np.log(share), (MANY, 1)).astype(np.float32)
    classes = call("gumbel_max", logits, uniform(rng, MANY, 3))
    np.testing.assert_allclose(np.bincount(classes) / MANY, share, atol=0.01)


def test_each_order_of_a_shuffle_is_as_likely(call, rng) -> None:
    x = np.arange(3, dtype=np.float32)
    orders = [tuple(call("shuffle_by_noise", x, uniform(rng, 3))) for _ in range(600)]
    found, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(found) == 6
    assert counts.min() > 60


def test_metropolis_chains_become_standard_normal(call, rng) -> None:
    chains = np.full(5_000, 5, np.float32)
    for _ in range(100):
        noise = rng.standard_normal(5_000).astype(np.float32)
        chains = call("metropolis_step", chains, noise, uniform(rng, 5_000), 2.0)
    assert chains.mean() == pytest.approx(0, abs=0.06)
    assert chains.std() == pytest.approx(1, abs=0.06)


def test_jax_draws_classes_by_gumbel_noise_and_normal_numbers_by_the_inverse(jax) -> None:
    key, logits = jax.random.key(0), np.zeros((100, 3), np.float32)
    gumbel = jax.random.gumbel(key, logits.shape)
    assert np.array_equal(jax.random.categorical(key, logits), (logits + gumbel).argmax(-1))
    assert "erf_inv" in str(jax.make_jaxpr(jax.random.normal)(key))


def test_torchs_rsample_has_a_gradient_and_sample_has_none(torch) -> None:
    normal = torch.distributions.Normal(torch.tensor(0.5, requires_grad=True), 1.0)
    assert normal.rsample().requires_grad
    assert not normal.sample().requires_grad


def test_jax_permutes_rows_whole_unless_told_otherwise(jax) -> None:
    rows, key = np.arange(12).reshape(3, 4), jax.random.key(1)
    assert sorted(jax.random.permutation(key, rows).tolist()) == rows.tolist()
    mixed = jax.random.permutation(key, rows, independent=True)
    assert sorted(mixed.tolist()) != rows.tolist()


def test_rbg_is_one_operation_of_the_program_and_none_after_xla(jax) -> None:
    def operations(implementation):
        draw = jax.jit(lambda key: jax.random.bits(key, (1000,)))
        lowered = draw.lower(jax.random.key(0, impl=implementation))
        return lowered.as_text(), lowered.compile().as_text()

    threefry, _ = operations("threefry2x32")
    rbg, compiled = operations("rbg")
    assert "rng_bit_generator" not in threefry
    assert rbg.count("rng_bit_generator") == 1
    assert threefry.count("stablehlo.") > 5 * rbg.count("stablehlo.")
    if jax.default_backend() == "cpu":
        assert "rng-bit-generator" not in compiled
