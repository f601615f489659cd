"""What is no key, no seed, no probability."""

import inspect

import numpy as np
import pytest


def test_a_key_is_no_number(jax) -> None:
    key = jax.random.key(0)
    for add in (lambda key: key + 1, jax.jit(lambda key: key + 1)):
        with pytest.raises(TypeError, match="add does not accept dtypes key<fry>"):
            add(key)
    with pytest.raises(TypeError, match="cannot be converted to a NumPy array"):
        np.asarray(key)
    jax.random.normal(jax.random.PRNGKey(0) + 1)  # an old key is


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (0, "expected key_data to have ndim"),
        (np.uint32(0), "expected key_data.ndim >= 1"),
        (np.zeros(3, np.uint32), r"shape to end with \(2,\)"),
        (np.zeros(2, np.int32), "expected key_data.dtype = uint32"),
    ],
)
def test_a_number_is_no_key(jax, key, error) -> None:
    with pytest.raises(TypeError, match=error):
        jax.random.normal(key)


def test_a_random_function_takes_one_key(jax) -> None:
    keys = jax.random.split(jax.random.key(0))
    for function in (jax.random.normal, jax.random.split):
        with pytest.raises(ValueError, match=r"accepts a single key.*Use jax.vmap"):
            function(keys)


def test_split_needs_a_whole_number_that_is_known_while_tracing(jax) -> None:
    key = jax.random.key(0)
    assert jax.random.split(key, (2, 3)).shape == (2, 3)
    assert jax.random.split(key, 0).shape == (0,)
    for size in (2.0, "2"):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            jax.random.split(key, size)
    with pytest.raises(Exception, match="invalid tensor dimension size"):
        jax.random.split(key, -1)
    with pytest.raises(TypeError, match="not hashable"):
        jax.jit(jax.random.split)(key, 2)


def test_jax_drops_the_upper_bits_of_a_seed_and_refuses_them_in_jit(jax) -> None:
    assert jax.random.key(2**32) == jax.random.key(0)
    with pytest.raises(OverflowError):
        jax.jit(jax.random.key)(2**32)
    with jax.enable_x64(True):
        assert jax.random.key(2**32) != jax.random.key(0)


def test_fractions_are_cut_off_unsaid(jax, torch) -> None:
    key = jax.random.key(0)
    assert jax.random.fold_in(key, 1.5) == jax.random.fold_in(key, 1)
    assert torch.manual_seed(1.5).initial_seed() == 1
    with pytest.raises(TypeError, match="seed must be an integer"):
        jax.random.key(1.5)


def test_a_seed_is_no_generator(torch) -> None:
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.rand(2, generator=0)


def test_torch_checks_a_probability_and_jax_does_not(jax, torch) -> None:
    assert jax.random.bernoulli(jax.random.key(0), 1.5, 3).all()
    with pytest.raises(RuntimeError, match="p_in"):
        torch.bernoulli(torch.full((3,), 1.5))
    with pytest.raises(ValueError, match="between 0 and 1"):
        torch.nn.functional.dropout(torch.ones(3), 1.5)


def test_both_refuse_more_than_there_are(jax, torch) -> None:
    with pytest.raises(ValueError, match="larger sample"):
        jax.random.choice(jax.random.key(0), 3, (4,), replace=False)
    with pytest.raises(RuntimeError, match="without replacement"):
        torch.multinomial(torch.ones(3), 4)


def test_only_threefry_has_a_poisson_distribution(jax) -> None:
    jax.random.poisson(jax.random.key(0), 3.0)
    with pytest.raises(NotImplementedError, match="threefry2x32"):
        jax.random.poisson(jax.random.key(0, impl="rbg"), 3.0)


def test_jax_0_12_has_an_approximate_poisson_distribution_for_other_generators(jax) -> None:
    if "method" not in inspect.signature(jax.random.poisson).parameters:
        pytest.skip("this JAX has one method only")
    key = jax.random.key(0, impl="rbg")
    drawn = jax.random.poisson(key, 3.0, (10_000,), method="approximate")
    assert drawn.mean() == pytest.approx(3, abs=0.1)
