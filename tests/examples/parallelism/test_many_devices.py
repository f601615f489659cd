"""Devices and meshes: how many there are, and arrays that do not fit."""

import eight_devices as on
import pytest


def devices_now():
    import jax

    return len(jax.devices()), jax.device_count()


def more_devices():
    import jax

    jax.devices()
    jax.config.update("jax_num_cpu_devices", 16)


def as_many_again():
    import jax

    jax.devices()
    jax.config.update("jax_num_cpu_devices", 8)


def test_a_cpu_is_as_many_devices_as_is_said_before_the_first_use(eight) -> None:
    assert eight(devices_now) == (8, 8)
    name, message = eight(on.refused, more_devices)
    assert (name, "before backends are initialized" in message) == ("RuntimeError", True)
    assert eight(on.refused, as_many_again) is None


@pytest.mark.parametrize(("size", "error"), [(16, "ValueError"), (4, None)])
def test_a_mesh_may_have_fewer_devices_than_there_are_not_more(eight, size, error) -> None:
    found = eight(on.refused, on.mesh, "Auto", (size,))
    assert (found and found[0]) == error


def place(kind, how):
    """Twelve numbers for eight devices."""
    import jax
    import jax.numpy as jnp

    devices, x = on.mesh(kind), jnp.arange(12.0)
    sharding = jax.NamedSharding(devices, jax.P("data"))
    if how == "constraint":
        return str(
            jax.jit(lambda x: jax.lax.with_sharding_constraint(x, sharding))(x).sharding.spec
        )
    ways = {
        "device_put": lambda: jax.device_put(x, sharding),
        "in_shardings": lambda: jax.jit(lambda x: x, in_shardings=sharding)(x),
        "shard_map": lambda: jax.shard_map(
            lambda x: x, mesh=devices, in_specs=jax.P("data"), out_specs=jax.P("data")
        )(x),
    }
    return ways[how]()


@pytest.mark.parametrize("kind", ["Auto", "Explicit"])
@pytest.mark.parametrize("how", ["device_put", "in_shardings", "shard_map"])
def test_a_mesh_that_does_not_divide_an_axis_is_an_error(eight, kind: str, how: str) -> None:
    name, message = eight(on.refused, place, kind, how)
    assert name in ("ValueError", "IndivisibleError")
    assert "evenly div" in message


def test_a_constraint_that_does_not_divide_gives_copies_and_says_nothing(eight) -> None:
    import jax

    if jax.__version_info__ >= (0, 12):
        assert eight(on.refused, place, "Auto", "constraint")[0] == "IndivisibleError"
        return
    assert eight(place, "Auto", "constraint") == "P()"


def wrong_axis():
    import jax
    import jax.numpy as jnp

    jax.device_put(jnp.ones(8), jax.NamedSharding(on.mesh("Auto"), jax.P("model")))


def elsewhere():
    """An array on four devices and one on eight."""
    (few,) = on.laid_out(on.ARRAYS[2:3], [("data",)], on.mesh("Auto", (4,)))
    (many,) = on.laid_out(on.ARRAYS[2:3], [("data",)], on.mesh("Auto"))
    return few + many


def with_a_new_array():
    import jax.numpy as jnp

    (x,) = on.laid_out(on.ARRAYS[2:3], [("data",)], on.mesh("Auto"))
    return str((x + jnp.ones(x.shape)).sharding.spec)


def test_layouts_name_axes_of_the_mesh_and_arrays_share_devices(eight) -> None:
    assert "is not found in mesh" in eight(on.refused, wrong_axis)[1]
    assert "Received incompatible devices" in eight(on.refused, elsewhere)[1]
    assert eight(with_a_new_array) in ("P('data', None)", "P('data',)")


def test_torch_has_as_many_ranks_as_its_world(ranks) -> None:
    mesh = ranks.distributed.device_mesh.init_device_mesh
    assert mesh("cpu", (4,)).size() == 4
    with pytest.raises(RuntimeError, match="should not be bigger than default world size 8"):
        mesh("cpu", (16,))


def test_torch_cuts_what_the_mesh_does_not_divide(ranks) -> None:
    from torch.distributed._local_tensor import LocalTensorMode
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = ranks.distributed.device_mesh.init_device_mesh("cpu", (8,))
    with LocalTensorMode(8):
        x = distribute_tensor(ranks.arange(12.0), mesh, [Shard(0)])
        held = x.to_local()._local_tensors
        assert [len(held[rank]) for rank in range(8)] == [2] * 6 + [0, 0]
        assert x.mean().full_tensor().reconcile() == 5.5
