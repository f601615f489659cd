"""The last batch: another shape, a mask, and a mean that stays right."""

import numpy as np
import pytest
from loading import load

from jaxvstorch import frameworks, ledger
from jaxvstorch.examples.data.batches import Batches, pad_batch
from jaxvstorch.examples.data.sources import Points


def as_arguments(framework, *arrays):
    return tuple(frameworks.adapter(framework).from_numpy(each) for each in arrays)


def fresh(framework, function):
    """Compiled, with nothing kept of what an earlier test compiled."""
    if framework == "jax":
        import jax

        jax.clear_caches()
        return jax.jit(function)
    import torch

    return torch.compile(function, backend="eager")


def batches(padded):
    for x, y in Batches(Points(), 4, 0):
        (x, y), mask = pad_batch((x, y.astype(np.int32)), 4 if padded else len(x))
        yield x, y % 2, mask


@pytest.mark.parametrize(("padded", "traces"), [(False, [1, 0, 1]), (True, [1, 0, 0])])
def test_a_smaller_last_batch_is_compiled_for(framework, half, padded, traces) -> None:
    compiled = fresh(framework, half.masked_mean_loss)
    calls = [as_arguments(framework, *batch) for batch in batches(padded)]
    assert ledger(compiled, calls).traces == traces


def test_later_batch_sizes_are_compiled_for_by_jax_and_not_by_torch_compile(
    framework, half
) -> None:
    def first_of_each(x):
        return x[:, 0] * 2

    compiled = fresh(framework, first_of_each)
    calls = [as_arguments(framework, np.ones((n, 2), np.float32)) for n in (4, 2, 3, 5, 1)]
    # torch.compile has a program for any size from the second one on, but for 1.
    expected = [1, 1, 0, 0, 1] if framework == "torch" else [1, 1, 1, 1, 1]
    assert ledger(compiled, calls).traces == expected


def test_rows_of_padding_do_not_count(framework, half) -> None:
    logits = np.array([[2, 0], [0, 1], [0, 0]], np.float32)
    labels, mask = np.array([0, 0, 0], np.int32), np.array([True, True, False])
    whole = half.masked_mean_loss(*as_arguments(framework, logits, labels, mask))
    real = half.masked_mean_loss(*as_arguments(framework, logits[:2], labels[:2], mask[:2]))
    none = half.masked_mean_loss(*as_arguments(framework, logits, labels, ~mask[[0, 0, 0]]))
    unmasked = half.masked_mean_loss(*as_arguments(framework, logits, labels, mask[[0, 0, 0]]))
    assert float(whole) == pytest.approx(float(real))
    assert float(none) == 0
    assert float(unmasked) != pytest.approx(float(real))


def test_the_mean_of_the_batches_means_is_not_the_mean_of_the_examples() -> None:
    values = np.array([1.0, 1, 1, 1, 7, 7])
    means, sizes = zip(*[(v.mean(), len(v)) for v in (values[:4], values[4:])], strict=True)
    assert np.mean(means) == 4
    assert np.average(means, weights=sizes) == values.mean() == 3


def test_drop_last_leaves_out_others_in_each_epoch(torch) -> None:
    generator = torch.Generator().manual_seed(0)
    loader = load(torch, Points(), 4, shuffle=True, drop_last=True, generator=generator)
    lost = [set(range(10)) - {int(i) for _, y in loader for i in y} for _ in range(3)]
    assert len(loader) == 2
    assert [len(each) for each in lost] == [2, 2, 2]
    assert len(set(map(frozenset, lost))) > 1
