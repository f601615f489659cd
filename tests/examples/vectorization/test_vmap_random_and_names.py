"""Random numbers under vmap, names of batches, and jnp.vectorize."""

import inspect

import numpy as np
import pytest


def test_an_axis_of_keys_draws_as_each_key_does_with_the_default_generator(jax) -> None:
    def draw(key):
        return jax.random.uniform(key, 2)

    for kind, as_alone in ((None, True), ("rbg", False)):
        keys = jax.random.split(jax.random.key(0, impl=kind), 3)
        alone = np.stack([draw(key) for key in keys])
        assert np.array_equal(jax.vmap(draw)(keys), alone) == as_alone


def test_a_shared_key_draws_one_number_for_all(jax) -> None:
    draw = jax.vmap(lambda x, key: x * jax.random.uniform(key), (0, None))
    assert len(set(draw(jax.numpy.ones(3), jax.random.key(0)).tolist())) == 1


def test_torch_refuses_to_draw_until_randomness_is_given(torch) -> None:
    x = torch.ones(3, 4)
    for draw in (torch.rand_like, torch.nn.functional.dropout):
        with pytest.raises(RuntimeError, match="randomness error mode"):
            torch.vmap(draw)(x)
    with pytest.raises(RuntimeError, match="Only allowed values for randomness"):
        torch.vmap(torch.rand_like, randomness="each")(x)


def test_different_draws_for_the_batch_and_same_for_one_example(torch) -> None:
    def under(randomness, **options):
        torch.manual_seed(0)
        draw = torch.vmap(lambda x: torch.rand(2), randomness=randomness, **options)
        return draw(torch.ones(3, 4))

    def drawn(*shape):
        torch.manual_seed(0)
        return torch.rand(*shape)

    assert torch.equal(under("different"), drawn(3, 2))
    assert torch.equal(under("same"), drawn(2).expand(3, 2))
    parts = under("same", chunk_size=2)
    assert torch.equal(parts, parts[:1].expand(3, 2))


def test_examples_ask_for_sums_over_a_named_batch_in_jax(jax) -> None:
    x = jax.numpy.array([1.0, 3.0])
    lax = jax.lax
    share = jax.vmap(lambda v: v / lax.psum(v, "batch"), axis_name="batch")(x)
    assert share.tolist() == [0.25, 0.75]
    whole = jax.vmap(lambda v: lax.psum(v, "batch"), axis_name="batch", out_axes=None)(x)
    assert whole == 4
    place = jax.vmap(lambda v: lax.axis_index("batch"), axis_name="batch")(x)
    assert place.tolist() == [0, 1]
    with pytest.raises(NameError, match="unbound axis name"):
        jax.vmap(lambda v: v / lax.psum(v, "batch"))(x)


def test_torch_vmap_takes_no_name_and_torch_has_no_vectorize(torch) -> None:
    accepted = list(inspect.signature(torch.vmap).parameters)
    assert accepted == ["func", "in_dims", "out_dims", "randomness", "chunk_size"]
    assert torch.func.vmap is torch.vmap
    assert not hasattr(torch, "vectorize")


def test_vectorize_broadcasts_what_the_signature_does_not_name(jax) -> None:
    ones = jax.numpy.ones
    dot = jax.numpy.vectorize(jax.numpy.dot, signature="(n),(n)->()")
    assert dot(ones((5, 1, 4)), ones((3, 4))).shape == (5, 3)
    with pytest.raises(ValueError, match="inconsistent size for core dimension"):
        dot(ones(4), ones(5))
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        dot(ones(()), ones(4))
