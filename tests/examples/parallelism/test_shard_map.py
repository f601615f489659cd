"""shard_map and its collectives: what comes out, what they are in the program, what is refused."""

import eight_devices as on
import numpy as np
import pytest

X = np.arange(16, dtype=np.float32)
RING = [(device, (device + 1) % 4) for device in range(4)]


def mapped(name, out, check=True, **options):
    """One collective over four devices with four numbers each: result and instructions."""
    import jax

    from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

    function = jax.shard_map(
        lambda x: getattr(jax.lax, name)(x, **{"axis_name": "data", **options}),
        mesh=on.mesh("Auto", (4,)),
        in_specs=jax.P("data"),
        out_specs=jax.P(*out),
        check_vma=check,
    )
    return np.asarray(function(X)).tolist(), collectives_in_jax(function, X)


SHARDS = X.reshape(4, 4)


@pytest.mark.parametrize(
    ("name", "options", "out", "expected", "instruction"),
    [
        ("psum", {}, (), SHARDS.sum(0), ("all-reduce", 16)),
        ("pmean", {}, (), SHARDS.mean(0), ("all-reduce", 16)),
        ("pmax", {}, (), SHARDS.max(0), ("all-reduce", 16)),
        ("all_gather", {"tiled": True}, ("data",), np.tile(X, 4), ("all-gather", 64)),
        ("psum_scatter", {"tiled": True}, ("data",), SHARDS.sum(0), ("reduce-scatter", 4)),
        ("ppermute", {"perm": RING}, ("data",), np.roll(X, 4), ("collective-permute", 16)),
        (
            "all_to_all",
            {"split_axis": 0, "concat_axis": 0, "tiled": True},
            ("data",),
            SHARDS.T.ravel(),
            ("all-to-all", 16),
        ),
    ],
)
def test_each_collective_is_one_instruction(
    eight, name: str, options, out, expected, instruction
) -> None:
    result, found = eight(mapped, name, out, **options)
    np.testing.assert_array_equal(result, expected)
    assert found == [instruction]


def local_sum(check=True):
    """Each device sums its own four numbers and says that the sum is the same everywhere."""
    import jax

    devices = on.mesh("Auto", (4,))
    function = jax.shard_map(
        lambda x: x.sum(),
        mesh=devices,
        in_specs=jax.P("data"),
        out_specs=jax.P(),
        check_vma=check,
    )
    return float(function(X))


def test_an_output_that_differs_between_devices_is_refused_as_a_copy(eight) -> None:
    name, message = eight(on.refused, local_sum)
    assert name == "ValueError"
    assert "out_specs which require replication" in message


def test_without_the_check_it_is_what_the_first_device_has(eight) -> None:
    assert eight(local_sum, False) == SHARDS[0].sum()


def test_what_all_gather_gives_counts_as_different(eight) -> None:
    name, _ = eight(on.refused, gather_as_copy)
    assert name == "ValueError"
    assert eight(gather_as_copy, False) == X.tolist()
    assert eight(gather_as_copy, to="invarying") == X.tolist()


def gather_as_copy(check=True, **options):
    return mapped("all_gather", (), check, tiled=True, **options)[0]


def unknown_axis(name, check=True):
    return mapped(name, (), check, axis_name="model")


def test_an_unknown_axis_is_an_error_that_does_not_say_so(eight) -> None:
    assert eight(on.refused, unknown_axis, "psum") == ("AssertionError", "")
    name, message = eight(on.refused, unknown_axis, "psum", False)
    assert (name, "unbound axis name: model" in message) == ("NameError", True)


def outside():
    import jax

    jax.jit(lambda x: jax.lax.psum(x, "data"))(X)


def test_a_collective_outside_of_shard_map_has_no_axis(eight) -> None:
    name, message = eight(on.refused, outside)
    assert (name, "unbound axis name: data" in message) == ("NameError", True)


def explicit_input(specs):
    """An argument on explicit axes that is not laid out as ``in_specs`` says."""
    import jax

    devices = on.mesh("Explicit")
    (x,) = on.laid_out([X], [()], devices)
    options = {} if specs is None else {"in_specs": jax.P(*specs)}
    with jax.set_mesh(devices):
        function = jax.shard_map(lambda x: jax.lax.psum(x, "data"), out_specs=jax.P(), **options)
        laid = x if specs is not None else jax.sharding.reshard(x, jax.P("data"))
        return np.asarray(function(laid)).tolist()


def test_on_explicit_axes_shard_map_does_not_move_its_input_and_can_infer_its_specs(eight) -> None:
    name, message = eight(on.refused, explicit_input, ("data",))
    assert (name, "does not match the specs of the input" in message) == ("ValueError", True)
    assert eight(explicit_input, None) == X.reshape(8, 2).sum(0).tolist()
