"""pmap, and the same by shard_map and by jit."""

import eight_devices as on
import numpy as np
import pytest


def stepped(how):
    """The data-parallel step in three ways: what is sent, the new weights, and their shapes."""
    import jax

    from jaxvstorch.examples.parallelism import jax as half
    from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

    w1, w2, x, y = on.ARRAYS

    def mean_loss(w1, w2, x, y):
        return jax.lax.pmean(half.mlp_loss(w1, w2, x, y), "data")

    def mapped(w1, w2, x, y):
        derive = jax.value_and_grad(mean_loss, argnums=(0, 1))
        loss, (slope1, slope2) = derive(w1, w2, x, y)
        return loss, w1 - 0.1 * slope1, w2 - 0.1 * slope2

    def old(w1, w2, x, y):
        derive = jax.value_and_grad(half.mlp_loss, argnums=(0, 1))
        loss, (slope1, slope2) = jax.lax.pmean(derive(w1, w2, x, y), "data")
        return loss, w1 - 0.1 * slope1, w2 - 0.1 * slope2

    axes = {"axis_name": "data", "in_axes": (None, None, 0, 0)}
    cut = x.reshape(8, 8, 64), y.reshape(8, 8, 64)
    specs = (jax.P(), jax.P(), jax.P("data"), jax.P("data"))
    options = {"mesh": on.mesh("Auto"), "in_specs": specs, "out_specs": jax.P()}
    function, args = {
        "pmap": (jax.pmap(old, **axes, out_axes=None), (w1, w2, *cut)),
        "pmap, stacked": (jax.pmap(old, **axes), (w1, w2, *cut)),
        "shard_map": (jax.jit(jax.shard_map(mapped, **options)), on.ARRAYS),
        "jit": (jax.jit(half.train_step), on.laid_out(on.ARRAYS, on.DATA, on.mesh("Auto"))),
    }[how]
    results = jax.tree.map(np.asarray, function(*args))
    return collectives_in_jax(function, *args), results


@pytest.mark.parametrize("how", ["pmap", "shard_map", "jit"])
def test_the_three_ways_send_the_same_and_give_the_same(eight, jax, in_jax, how: str) -> None:
    found, results = eight(stepped, how)
    assert found == [("all-reduce", 4 + 2 * 64 * 256 * 4)]
    for ours, one in zip(results, in_jax.train_step(*on.ARRAYS), strict=True):
        np.testing.assert_allclose(ours, one, atol=1e-5)


def test_pmap_stacks_a_copy_for_each_device_unless_out_axes_is_none(eight) -> None:
    _, results = eight(stepped, "pmap, stacked")
    assert [result.shape for result in results] == [(8,), (8, 64, 256), (8, 256, 64)]


def first_of_stacked():
    """Taking the first of eight stacked copies."""
    import jax

    from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

    stacked = jax.pmap(lambda x: x)(np.ones((8, 1000), np.float32))
    return collectives_in_jax(lambda x: x[0], stacked), str(stacked.sharding.spec)


def test_taking_the_first_of_stacked_copies_sends_it_to_all(eight) -> None:
    found, spec = eight(first_of_stacked)
    assert spec == "P('_internal_pmap_axis_name',)"
    assert [name for name, _ in found] == ["all-reduce"]


def gone(name):
    import jax

    return getattr(jax, name)


@pytest.mark.parametrize("name", ["device_put_sharded", "device_put_replicated"])
def test_what_went_with_pmap_is_gone(eight, name: str) -> None:
    kind, message = eight(on.refused, gone, name)
    assert (kind, "migrate_pmap" in message) == ("AttributeError", True)


def documented():
    import jax

    return jax.pmap.__doc__


def test_pmap_calls_itself_the_old_way(eight) -> None:
    text = eight(documented)
    assert text.startswith("Old way of doing parallel map. Use :py:func:`jax.shard_map` instead.")
    assert "is now implemented in terms of :py:func:`jit` and" in text
