"""Devices: what moves by itself, what is refused, and what counts for compiling again."""

import numpy as np
import pytest
import two_devices as on

HERE, THERE = (0, True), (1, True)
FREE = (0, False)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("free, first, second", [FREE, HERE, THERE]),
        ("jax.device_put(free), jnp.asarray(second)", [FREE, THERE]),
        ("jax.device_put(second), jnp.ones(2, device=devices[1])", [THERE, THERE]),
        ("free + second, second + 1, second + np.ones(2)", [THERE] * 3),
        ("free + free, first + free", [FREE, HERE]),
        ("jnp.zeros_like(second)", [THERE]),
        ("jax.jit(lambda a: a + 1)(second)", [THERE]),
        ("jax.jit(lambda a: jnp.zeros(2))(second)", [FREE]),  # the argument is not used
        ("jax.jit(lambda a: a + first)(second)", [THERE]),  # a constant has no place
        ("jax.device_put(first, second.sharding) + second", [THERE]),
    ],
)
def test_where_a_result_lives_in_jax(two, code, expected) -> None:
    assert two(on.where, code) == expected


@pytest.mark.parametrize(
    "code",
    [
        "first + second",
        "jax.jit(lambda a, b: a + b)(first, second)",
        "first.at[0].set(second[0])",
        "first + second[0]",
        "jnp.where(first > 0, first, second)",
    ],
)
def test_jax_refuses_arrays_that_are_committed_to_two_devices(two, code) -> None:
    assert "Received incompatible devices" in two(on.refused, code)


def test_a_default_device_takes_what_is_free(two) -> None:
    assert two(on.under_default, "jnp.ones(2)") == [(1, False)]
    assert two(on.under_default, "free + 1") == [(1, False)]


def test_placements_share_a_trace(two) -> None:
    assert two(on.traces) == 1


def test_pytorch_moves_numbers_and_tensors_without_dimensions_alone(torch) -> None:
    there, here = torch.ones(2, device="meta"), torch.ones(2)
    moved = (there + 1, there + torch.tensor(1.0), there + np.float32(1), there[torch.tensor([0])])
    assert {m.device.type for m in moved} == {"meta"}
    for mix in (
        lambda: there + here,
        lambda: torch.tensor(1.0, device="meta") + here,
        lambda: torch.where(here > 0, there, here),
        lambda: there @ here,
        lambda: torch.cat([there, here]),
        lambda: torch.nn.Linear(2, 2, device="meta")(here),
    ):
        with pytest.raises(RuntimeError, match="is not on the expected device"):
            mix()


def test_to_copies_only_where_something_changes(torch) -> None:
    x = torch.ones(2)
    assert x.to("cpu") is x
    assert x.to(torch.float32) is x
    assert x.to("cpu", copy=True) is not x
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta"):
        x.to("meta").to("cpu")


def test_new_tensors_follow_the_device_context_and_likes_their_model(torch) -> None:
    here, array = torch.ones(2), np.ones(2)
    with torch.device("meta"):
        new, like, view = torch.ones(2), torch.zeros_like(here), torch.from_numpy(array)
    assert [t.device.type for t in (new, like, view)] == ["meta", "cpu", "cpu"]
    assert here.to("meta").new_zeros(2).device.type == "meta"


def test_device_put_copies_on_a_change_of_device_and_not_otherwise(jax) -> None:
    x = jax.numpy.ones(2)
    pointer = x.unsafe_buffer_pointer()
    put = jax.device_put(x, jax.devices("cpu")[0])
    assert put is not x
    assert put.committed
    assert not x.committed
    if jax.default_backend() == "cpu":
        assert put.unsafe_buffer_pointer() == pointer
