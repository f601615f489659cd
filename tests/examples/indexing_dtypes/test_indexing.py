"""Where axes go, what a step may be, and which places are out of range."""

import numpy as np
import pytest

ALL, BACKWARDS = slice(None), slice(None, None, -1)
NAN = np.nan


def shape(x, index):
    """The shape of a read, or the error's name."""
    try:
        return tuple(x[index].shape)
    except (IndexError, TypeError, ValueError) as error:
        return type(error).__name__


def with_arrays(convert, index):
    return tuple(convert(part) if isinstance(part, np.ndarray) else part for part in index)


PLACES = np.array([0, 1])


@pytest.mark.parametrize(
    ("index", "in_numpy", "in_torch"),
    [
        ((0, ALL, PLACES), (2, 3), (3, 2)),
        ((0, None, PLACES), (2, 1, 4), (1, 2, 4)),
        ((ALL, 0, PLACES), (2, 2), (2, 2)),
        ((ALL, PLACES, 0), (2, 2), (2, 2)),
        ((PLACES, ALL, 0), (2, 3), (2, 3)),
        ((np.array(0), ALL, PLACES), (2, 3), (3, 2)),
        ((np.array([0]), ALL, PLACES), (2, 3), (2, 3)),
        ((PLACES, ALL, PLACES), (2, 3), (2, 3)),
        ((ALL, PLACES, None, PLACES), (2, 2, 1), (2, 2, 1)),
        ((..., BACKWARDS), (2, 3, 4), "ValueError"),
        ((slice(0, 9), slice(-9, 2)), (2, 2, 4), (2, 2, 4)),
    ],
)
def test_where_an_axis_goes(jax, torch, index, in_numpy, in_torch) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert shape(x, index) == in_numpy
    assert shape(jax.numpy.array(x), with_arrays(jax.numpy.array, index)) == in_numpy
    assert shape(torch.tensor(x), with_arrays(torch.tensor, index)) == in_torch


def test_two_steps_keep_the_order_of_the_axes(jax, torch) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    assert jax.numpy.array(x)[0][:, jax.numpy.array(PLACES)].tolist() == x[0][:, PLACES].tolist()
    assert torch.tensor(x)[0][:, torch.tensor(PLACES)].tolist() == x[0][:, PLACES].tolist()
    ours, theirs = jax.numpy.array(x)[0, :, PLACES], torch.tensor(x)[0, :, torch.tensor(PLACES)]
    assert ours.T.tolist() == theirs.tolist() == x[0][:, PLACES].tolist()


def test_a_list_is_an_index_in_pytorch_alone(jax, torch) -> None:
    assert torch.arange(4)[[1, 2]].tolist() == [1, 2]
    with pytest.raises(TypeError, match="Using a non-tuple sequence"):
        jax.numpy.arange(4)[[1, 2]]
    assert jax.numpy.arange(4)[np.array([1, 2])].tolist() == [1, 2]


def test_a_step_is_positive_in_pytorch(jax, torch) -> None:
    assert jax.numpy.arange(5)[::-2].tolist() == torch.arange(5).flip(0)[::2].tolist() == [4, 2, 0]
    with pytest.raises(ValueError, match="step must be greater than zero"):
        torch.arange(5)[::-2]
    x = torch.arange(3)
    view, copy = x[::2], x.flip(0)
    x.zero_()
    assert view.tolist() == [0, 0]
    assert copy.tolist() == [2, 1, 0]


READS = {
    "x[5]": (lambda jnp, x: x[5], 3),
    "x[-5]": (lambda jnp, x: x[-5], 0),
    "take": (lambda jnp, x: jnp.take(x, 5), NAN),
    "take_along_axis": (lambda jnp, x: jnp.take_along_axis(x, jnp.array([5]), 0)[0], NAN),
}


@pytest.mark.parametrize("name", READS)
def test_jax_reads_what_is_not_there(jax, name) -> None:
    read, expected = READS[name]
    np.testing.assert_array_equal(read(jax.numpy, jax.numpy.arange(4.0)), expected)


def test_pytorch_refuses_what_is_not_there(torch) -> None:
    x, five = torch.arange(4.0), torch.tensor([5])
    for error, read in (
        (IndexError, lambda: x[5]),
        (IndexError, lambda: x[five]),
        (IndexError, lambda: torch.take(x, five)),
        (IndexError, lambda: torch.index_select(x, 0, five)),
        (IndexError, lambda: torch.nn.functional.embedding(five, x[:, None])),
        (RuntimeError, lambda: x.gather(0, five)),
        (RuntimeError, lambda: x.gather(0, -torch.ones(1, dtype=int))),
        (RuntimeError, lambda: x.narrow(0, 3, 2)),
        (RuntimeError, lambda: torch.nn.functional.one_hot(five, 4)),
        (RuntimeError, lambda: torch.nn.functional.one_hot(-five, 4)),
        (RuntimeError, lambda: x.scatter(0, five, x[:1])),
    ):
        with pytest.raises(error):
            read()
    assert torch.take(x, torch.tensor(-1)) == 3


def test_one_hot_and_segments_drop_what_is_outside_in_jax(jax) -> None:
    jnp, labels = jax.numpy, jax.numpy.array([0, 2, 5, -1])
    assert jax.nn.one_hot(labels[2:], 3).tolist() == [[0, 0, 0]] * 2
    assert jax.ops.segment_sum(jnp.ones(4), labels, 3).tolist() == [1, 0, 1]
    assert jax.lax.dynamic_slice_in_dim(jnp.arange(4), 3, 2).tolist() == [2, 3]


def test_negative_places_can_be_out_of_range(jax) -> None:
    x = jax.numpy.arange(4.0)
    kept = x.at[np.array([1, -1])].get(mode="fill", fill_value=9, wrap_negative_indices=False)
    assert kept.tolist() == [1, 9]


def test_which_integers_index(jax, torch) -> None:
    x = torch.arange(4)
    assert x[torch.tensor([1], dtype=torch.int32)] == 1
    for dtype in (torch.int8, torch.int16):
        with pytest.raises(IndexError, match="must be long, int, byte or bool"):
            x[torch.tensor([1], dtype=dtype)]
    assert jax.numpy.arange(4)[jax.numpy.array([1], "int8")] == 1
    # An index may overflow its own dtype before anyone looks at it.
    assert (jax.numpy.array([255], "uint8") + 1).tolist() == [0]


def test_an_empty_segment_and_large_scores(jax, torch, in_jax, in_torch) -> None:
    scores, labels = np.float32([1000, 1000, -1000]), np.array([0, 0, 2])
    ours = in_jax.segment_softmax(jax.numpy.array(scores), jax.numpy.array(labels), 3)
    theirs = in_torch.segment_softmax(torch.tensor(scores), torch.tensor(labels), 3)
    assert ours.tolist() == theirs.tolist() == [0.5, 0.5, 1]


def test_picking_a_column_that_is_not_there(jax, torch, in_jax, in_torch) -> None:
    x, columns = np.ones((1, 3), np.float32), np.array([7])
    assert np.isnan(in_jax.pick_per_row(jax.numpy.array(x), jax.numpy.array(columns))).all()
    # The remainder makes any column one of the row.
    assert in_torch.pick_per_row(torch.tensor(x), torch.tensor(columns)).tolist() == [1]


def test_jax_finds_the_nan_of_take_and_not_a_clamped_read(jax) -> None:
    x = jax.numpy.arange(4.0)
    with jax.debug_nans(True):
        assert x[5] == 3
        with pytest.raises(FloatingPointError, match="nan"):
            jax.numpy.take(x, 5)


def test_a_clipped_read_gives_its_gradient_to_the_nearest_place(jax, torch) -> None:
    places = np.array([5, -5, 1])
    x = np.arange(4.0, dtype=np.float32)
    ours = jax.grad(lambda x: x.at[places].get(mode="clip").sum())(jax.numpy.array(x))
    clipped = torch.tensor(places).clamp(0, 3)
    theirs = torch.func.grad(lambda x: x[clipped].sum())(torch.tensor(x))
    assert ours.tolist() == theirs.tolist() == [1, 1, 0, 1]
