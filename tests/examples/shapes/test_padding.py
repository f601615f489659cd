"""What stands in the padding must not matter; what the halves do with rows of no length."""

import numpy as np

from jaxvstorch.frameworks import adapter

ROWS = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
NONE = np.array([2, 0], np.int32)


def call(framework: str, function, *arrays):
    return adapter(framework).to_numpy(function(*map(adapter(framework).from_numpy, arrays)))


def test_a_mean_over_padding_is_wrong_and_a_masked_one_is_right(half, framework) -> None:
    x = np.array([1, 3, 0, 0], np.float32)
    assert call(framework, half.center, x).tolist() == [0, 2, -1, -1]
    assert call(framework, half.center_padded, x, np.int32(2)).tolist() == [-1, 1, 0, 0]


def test_padding_may_hold_nan(half, framework) -> None:
    x = np.array([1, 3, np.nan, np.nan], np.float32)
    assert call(framework, half.center_padded, x, np.int32(2)).tolist() == [-1, 1, 0, 0]
    rows = np.array([[1, 1, np.nan]], np.float32)
    found = call(framework, half.masked_softmax, rows, np.array([2], np.int32))
    assert found.tolist() == [[0.5, 0.5, 0]]


def test_a_row_of_no_length_is_nan_in_torch_and_zero_in_jax(half, framework) -> None:
    found = call(framework, half.masked_softmax, ROWS, NONE)
    assert np.isfinite(found[0]).all()

    assert np.isnan(found[1]).all() if framework == "torch" else (found[1] == 0).all()


def test_groups_of_no_length_sum_up_to_zero(half, framework) -> None:
    lengths = np.array([0, 3, 0, 1], np.int32)
    found = call(framework, half.ragged_sums, np.ones(4, np.float32), lengths)
    assert found.tolist() == [0, 3, 0, 1]


def test_unique_labels_are_filled_up_and_cut_off(half, framework) -> None:
    labels = adapter(framework).from_numpy(np.array([5, 1, 5, 2], np.int32))
    for size, values, counts in ((4, [1, 2, 5, -1], [1, 1, 2, 0]), (2, [1, 2], [1, 1])):
        found = [adapter(framework).to_numpy(part) for part in half.unique_padded(labels, size)]
        assert [part.tolist() for part in found] == [values, counts]


def test_windows_and_top_scores(half, framework) -> None:
    x = adapter(framework).from_numpy(np.arange(5, dtype=np.float32))
    windows = adapter(framework).to_numpy(half.sliding_windows(x, 3))
    assert windows.tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    top = adapter(framework).to_numpy(half.top_scores(x[None], 2))
    assert top.tolist() == [[4, 3]]
