"""JAX: a function as it stands on eight devices, and what XLA puts in."""

import eight_devices as on
import pytest

WEIGHTS = 64 * 256 * 4  # bytes of each of the two matrices
BATCH = 64 * 64 * 4


@pytest.mark.parametrize("kind", ["Auto", "Explicit"])
def test_data_parallel_is_one_all_reduce_of_loss_and_gradients(eight, kind: str) -> None:
    collectives, error = eight(on.steps, kind, (8,), ("data",), on.DATA)
    assert collectives == [("all-reduce", 4 + 2 * WEIGHTS)]
    assert error < 1e-5


def test_tensor_parallel_is_one_all_reduce_of_the_output(eight) -> None:
    collectives, error = eight(on.steps, "Auto", (8,), ("data",), on.TENSOR)
    assert collectives == [("all-reduce", BATCH)]
    assert error < 1e-5


def the_other_way_round():
    """The network with the matrices cut along the wrong axes."""
    from jaxvstorch.examples.parallelism import jax as half
    from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

    specs = ("data",), (None, "data"), ()
    return collectives_in_jax(half.mlp, *on.laid_out(on.ARRAYS[:3], specs, on.mesh("Auto")))


def test_matrices_cut_the_other_way_round_are_gathered(eight) -> None:
    assert eight(the_other_way_round) == [("all-gather", WEIGHTS)]


def test_both_at_once_reduce_shards_only(eight) -> None:
    specs = ((None, "model"), ("model",), ("data",), ("data",))
    collectives, error = eight(on.steps, "Auto", (2, 4), ("data", "model"), specs)
    assert collectives == [("all-reduce", BATCH // 2), ("all-reduce", 4 + 2 * WEIGHTS // 4)]
    assert error < 1e-5


def test_explicit_axes_refuse_to_choose_for_a_contraction(eight) -> None:
    name, message = eight(on.refused, on.steps, "Explicit", (8,), ("data",), on.TENSOR)
    assert name == "ShardingTypeError"
    assert "specify the output sharding via the `out_sharding` parameter" in message


def explicit_answers():
    """Types and collectives of a product whose contraction axis is cut."""
    import jax
    import jax.numpy as jnp

    from jaxvstorch.examples.parallelism import jax as half
    from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        w1, w2, x = (
            jax.device_put(array, jax.P(*spec))
            for array, spec in zip(on.ARRAYS[:3], on.TENSOR[:3], strict=True)
        )
        hidden = jnp.tanh(x @ w1)
        whole = jax.sharding.auto_axes(half.mlp, out_sharding=jax.P())
        results = (
            jnp.matmul(hidden, w2, out_sharding=jax.P()),
            jnp.matmul(hidden, w2, out_sharding=jax.P("data")),
            jnp.matmul(hidden, w2, out_sharding=jax.P(unreduced={"data"})),
            whole(w1, w2, x),
        )
        types = [str(jax.typeof(value)) for value in (w1, hidden, *results)]
        return types, collectives_in_jax(whole, w1, w2, x)


def test_explicit_axes_stand_in_the_type_and_are_answered_by_out_sharding(eight) -> None:
    types, collectives = eight(explicit_answers)
    assert types == [
        "float32[64,256@data]",
        "float32[64,256@data]",
        "float32[64,64]",
        "float32[64@data,64]",
        "float32[64,64]{U:data}",
        "float32[64,64]",
    ]
    assert collectives == [("all-reduce", BATCH)]


def parts_on_auto_axes():
    import jax

    jax.NamedSharding(on.mesh("Auto"), jax.P(unreduced={"data"}))


def test_parts_of_a_sum_are_for_explicit_axes(eight) -> None:
    name, message = eight(on.refused, parts_on_auto_axes)
    assert (name, "of type `Explicit`" in message) == ("ValueError", True)


def default_mesh():
    import jax

    return str(jax.make_mesh((8,), ("data",)).axis_types)


def test_make_mesh_has_explicit_axes_by_default(eight) -> None:
    assert eight(default_mesh) == "(Explicit,)"


def changed(kind, how):
    """An array whose layout changes inside ``jit``; its collectives."""
    import jax

    from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

    devices = on.mesh(kind)
    change = {"constraint": jax.lax.with_sharding_constraint, "reshard": jax.sharding.reshard}[how]
    (x,) = on.laid_out(on.ARRAYS[2:3], [("data",)], devices)
    columns = jax.NamedSharding(devices, jax.P(None, "data"))
    return collectives_in_jax(lambda x: change(2 * x, columns), x)


@pytest.mark.parametrize(("kind", "how"), [("Auto", "constraint"), ("Explicit", "reshard")])
def test_each_kind_of_axis_has_its_own_way_to_change_a_layout(eight, kind: str, how: str) -> None:
    assert eight(changed, kind, how) == [("all-to-all", BATCH // 8)]
    other = {"Auto": "Explicit", "Explicit": "Auto"}[kind]
    name, _ = eight(on.refused, changed, other, how)
    assert name == "ValueError"


def mixed(kind):
    """The sum of an array cut by rows and one cut by columns."""
    import jax.numpy as jnp

    rows, columns = on.laid_out([on.ARRAYS[2]] * 2, [("data",), (None, "data")], on.mesh(kind))
    return str(jnp.add(rows, columns).sharding.spec)


def test_two_layouts_that_meet_are_xlas_choice_or_an_error(eight) -> None:
    assert eight(mixed, "Auto") in ("P('data', None)", "P('data',)")
    name, message = eight(on.refused, mixed, "Explicit")
    assert (name, "illegally sharded result" in message) == ("ShardingTypeError", True)
