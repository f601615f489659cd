"""A key gives the same numbers again; a generator gives the next ones."""

import numpy as np
import pytest

IMPLEMENTATIONS = ("threefry2x32", "threefry4x32", "philox2x32", "philox4x32", "rbg")


def test_jax_draws_the_same_from_a_key_and_torch_the_next_from_a_generator(jax, torch) -> None:
    key = jax.random.key(0)
    assert np.array_equal(jax.random.uniform(key, 3), jax.random.uniform(key, 3))
    generator = torch.Generator().manual_seed(0)
    first = torch.rand(3, generator=generator)
    assert not torch.equal(torch.rand(3, generator=generator), first)
    assert torch.equal(torch.rand(3, generator=generator.manual_seed(0)), first)


def test_a_generator_of_ones_own_leaves_torchs_global_one_alone(torch) -> None:
    before = torch.get_rng_state()
    torch.rand(3, generator=torch.Generator().manual_seed(0))
    assert torch.equal(torch.get_rng_state(), before)


def test_a_draw_that_is_added_moves_torchs_later_draws_and_no_key_of_jax(jax, torch) -> None:
    torch.manual_seed(0)
    stream = torch.rand(7)
    torch.manual_seed(0)
    assert torch.equal(torch.cat([torch.rand(2), torch.rand(3), torch.rand(2)]), stream)
    torch.manual_seed(0)
    torch.rand(2), torch.rand(1)
    assert torch.equal(torch.rand(3), stream[3:6])
    two, three = (jax.random.split(jax.random.key(0), number) for number in (2, 3))
    assert np.array_equal(two == three[:2], [True, True])


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_jax_folds_a_number_in_as_it_splits(jax, implementation) -> None:
    key = jax.random.key(0, impl=implementation)
    folded = [jax.random.fold_in(key, number) for number in range(3)]
    assert all(a == b for a, b in zip(folded, jax.random.split(key, 3), strict=True))


def test_jax_folds_otherwise_than_it_splits_in_unsafe_rbg(jax) -> None:
    key = jax.random.key(0, impl="unsafe_rbg")
    assert jax.random.fold_in(key, 1) != jax.random.split(key)[1]


def test_two_draws_of_one_key_are_the_same_numbers_in_another_form(jax) -> None:
    key = jax.random.key(3)
    normal, uniform = jax.random.normal(key, 100), jax.random.uniform(key, 100)
    np.testing.assert_allclose(jax.scipy.stats.norm.cdf(normal), uniform, atol=1e-6)


def test_jax_catches_a_key_used_twice(jax) -> None:
    draw, other = jax.random.normal, jax.random.uniform
    with jax.debug_key_reuse(True):
        for use_twice in (
            lambda key: (draw(key), other(key)),
            lambda key: (jax.random.split(key), draw(key)),
            jax.jit(lambda key: draw(key) + other(key)),
            lambda key: jax.lax.scan(lambda key, _: (key, draw(key)), key, length=2),
        ):
            with pytest.raises(jax.errors.KeyReuseError):
                use_twice(jax.random.key(0))


def test_jax_does_not_catch_every_reuse(jax) -> None:
    draw = jax.random.normal
    old, closed_over = jax.random.PRNGKey(0), jax.random.key(0)
    used_before = jax.random.key(0)
    draw(used_before)
    with jax.debug_key_reuse(True):
        for use_twice in (
            lambda key: (draw(old), draw(old)),
            lambda key: (draw(key), draw(jax.random.key(0))),
            lambda key: jax.vmap(lambda x: x + draw(closed_over))(np.zeros(2)),
            lambda key: [draw(jax.random.fold_in(key, 0)) for _ in range(2)],
            lambda key: (jax.random.split(key), jax.random.fold_in(key, 1)),
            lambda key: draw(used_before),
        ):
            use_twice(jax.random.key(0))


def test_torchs_stateless_random_functions_do_not_run_on_a_cpu(torch) -> None:
    stateless = pytest.importorskip("torch.func._random", reason="this PyTorch has none")
    with pytest.raises(NotImplementedError, match="_philox_key_split"):
        stateless.split(stateless.key(0, device="cpu"))


def test_old_and_new_keys_of_jax_draw_the_same_and_only_new_ones_know_their_kind(jax) -> None:
    old, new = jax.random.PRNGKey(0), jax.random.key(0)
    assert np.array_equal(jax.random.normal(old, 3), jax.random.normal(new, 3))
    with pytest.raises(TypeError, match=r"shape to end with \(2,\)"):
        jax.random.normal(jax.random.PRNGKey(0, impl="rbg"))
    jax.random.normal(jax.random.key(0, impl="rbg"))
    with jax.legacy_prng_key("error"), pytest.raises(ValueError, match="Legacy uint32 key"):
        jax.random.normal(old)
