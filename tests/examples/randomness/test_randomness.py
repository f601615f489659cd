"""What the topic's functions draw, and what depends on processes and versions."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from jaxvstorch import _frameworks
from jaxvstorch._pairs.registry import pairs_of

RATE = 0.25
SCRIPTS = {
    "jax": "import jax; print(jax.random.uniform(jax.random.key(3), 4).tolist())",
    "torch": "import torch; torch.manual_seed(3); print(torch.rand(4).tolist())",
}


@pytest.fixture
def call(framework, half):
    """A function of the half, called with NumPy arrays."""
    adapter = _frameworks.adapter(framework)

    def call(name, *arguments):
        moved = [adapter.from_numpy(argument) for argument in arguments]
        return adapter.to_numpy(getattr(half, name)(*moved))

    return call


def test_dropout_keeps_the_mean_and_the_share(call) -> None:
    y = call("dropout", np.ones(100_000, np.float32), 0, RATE)
    assert set(np.unique(y)) == {0, np.float32(1) / np.float32(1 - RATE)}
    assert np.mean(y == 0) == pytest.approx(RATE, abs=0.01)
    assert y.mean() == pytest.approx(1, abs=0.01)


def test_pi_is_estimated(call) -> None:
    assert call("estimate_pi", 0, 50_000) == pytest.approx(np.pi, abs=0.03)


def test_noise_is_standard_normal_and_another_for_each_example(call) -> None:
    noise = call("noisy_batch", np.zeros((5000, 10), np.float32), 0)
    assert noise.mean() == pytest.approx(0, abs=0.02)
    assert noise.std() == pytest.approx(1, abs=0.02)
    assert len(np.unique(noise[:, 0])) > 4990


def compiled(framework, pair):
    """``torch.compile`` without Inductor, which draws other numbers."""
    if framework == "torch":
        import torch

        return torch.compile(pair.half("torch"), backend="aot_eager")
    import jax

    return jax.jit(pair.half("jax"), static_argnames=pair.static)


@pytest.mark.parametrize("name", ["dropout", "estimate_pi", "noisy_batch"])
def test_a_seed_gives_the_same_numbers_again_and_compiled_and_another_others(
    framework, name
) -> None:
    (pair,) = (pair for pair in pairs_of("randomness") if pair.name == name)
    arguments = pair.make_inputs(64)
    place = next(i for i, value in enumerate(arguments) if type(value) is int)

    def draw(function, seed):
        new = (*arguments[:place], seed, *arguments[place + 1 :])
        return np.asarray(function(*pair.to_framework(framework, new)))

    plain = pair.half(framework)
    assert np.array_equal(draw(plain, 1), draw(plain, 1))
    assert not np.array_equal(draw(plain, 1), draw(plain, 2))
    # The random bits are the same; XLA may round the arithmetic after them differently.
    np.testing.assert_allclose(draw(compiled(framework, pair), 1), draw(plain, 1), rtol=1e-5)


@pytest.mark.parametrize("name", SCRIPTS)
def test_another_process_draws_the_same(name) -> None:
    pytest.importorskip(name)
    runs = [subprocess.run([sys.executable, "-c", SCRIPTS[name]], stdout=-1) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.count(b",") == 3


def test_jax_draws_these_numbers_in_every_version_that_is_tested(jax) -> None:
    drawn = jax.random.uniform(jax.random.key(0), 3)
    np.testing.assert_allclose(drawn, [0.947667, 0.9785799, 0.33229148], rtol=1e-6)
    drawn = jax.random.uniform(jax.random.key(0, impl="rbg"), 3)
    if jax.default_backend() == "cpu":
        np.testing.assert_allclose(drawn, [0.39904642, 0.8805201, 0.73571277], rtol=1e-6)


def test_jax_0_12_has_an_approximate_poisson_distribution_for_other_generators(jax) -> None:
    if "method" not in inspect.signature(jax.random.poisson).parameters:
        pytest.skip("this JAX has one method only")
    key = jax.random.key(0, impl="rbg")
    drawn = jax.random.poisson(key, 3.0, (10_000,), method="approximate")
    assert drawn.mean() == pytest.approx(3, abs=0.1)
