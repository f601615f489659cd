"""The order of an epoch: who decides it, and that it can be had again, in the middle too."""

import numpy as np
import pytest
from loading import labels, load, printed

from jaxvstorch.examples.data.batches import Batches, order_of_epoch
from jaxvstorch.examples.data.sources import Points

SEED = 3


def seeded(torch):
    return torch.Generator().manual_seed(SEED)


def test_each_epoch_has_an_order_of_its_own_and_the_same_again() -> None:
    orders = [order_of_epoch(10, SEED, epoch).tolist() for epoch in range(3)]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert len(set(map(tuple, orders))) == 3
    assert order_of_epoch(10, SEED, 1).tolist() == orders[1]
    assert order_of_epoch(10, SEED + 1, 0).tolist() != orders[1]  # as a sum of the two would have


def test_another_process_has_the_same_orders(torch, jax) -> None:
    code = f"""
import jax, torch
from jaxvstorch.examples.data.batches import order_of_epoch
print(order_of_epoch(10, {SEED}, 1).tolist())
print(torch.randperm(10, generator=torch.Generator().manual_seed({SEED})).tolist())
print(jax.random.permutation(jax.random.fold_in(jax.random.key({SEED}), 1), 10).tolist())
"""
    key = jax.random.fold_in(jax.random.key(SEED), 1)
    assert printed(code) == [
        str(order_of_epoch(10, SEED, 1).tolist()),
        str(torch.randperm(10, generator=seeded(torch)).tolist()),
        str(jax.random.permutation(key, 10).tolist()),
    ]


def test_the_number_of_workers_does_not_change_the_loader_s_order(torch) -> None:
    def two_epochs(**options):
        loader = load(torch, Points(), shuffle=True, generator=seeded(torch), **options)
        return labels(loader), labels(loader)

    first, second = two_epochs()
    assert first != second
    for workers in (1, 2):
        assert two_epochs(num_workers=workers) == (first, second)
    # Workers that stay are seeded once, and what the loader draws for that shifts the next order.
    again, other = two_epochs(num_workers=1, persistent_workers=True)
    assert again == first
    assert other != second


def test_what_else_draws_from_the_generator_changes_the_order(torch) -> None:
    generator = seeded(torch)
    loader = load(torch, Points(), shuffle=True, generator=generator)
    expected = labels(loader), labels(loader)
    generator.manual_seed(SEED)
    next(iter(loader))  # one batch of an epoch that was not finished
    assert labels(loader) != expected[1]
    generator.manual_seed(SEED)
    torch.rand(3, generator=generator)
    assert labels(loader) != expected[0]


def test_without_a_generator_the_global_seed_decides(torch) -> None:
    loader = load(torch, Points(), shuffle=True)
    orders = []
    for draws in (0, 0, 1):
        torch.manual_seed(SEED)
        torch.rand(draws)
        orders.append(labels(loader))
    assert orders[0] == orders[1] != orders[2]


def test_a_distributed_sampler_repeats_its_order_until_it_is_told_the_epoch(torch) -> None:
    def sampler(rank, count=10):
        return torch.utils.data.DistributedSampler(range(count), 4, rank, seed=SEED)

    one = sampler(0)
    first = list(one)
    assert list(one) == first
    one.set_epoch(1)
    assert list(one) != first
    spread = [index for rank in range(4) for index in sampler(rank)]
    assert len(spread) == 12  # 4 x 3: two examples come twice
    assert set(spread) == set(range(10))


def test_batches_go_on_where_a_state_was_taken() -> None:
    batches = Batches(Points(), 4, SEED)
    whole = labels(batches) + labels(batches)
    assert [len(batch) for batch in whole] == [4, 4, 2] * 2
    for done in range(6):
        one, other = Batches(Points(), 4, SEED), Batches(Points(), 4, SEED)
        taken = []
        while len(taken) < done:
            for batch in one:
                taken += labels([batch])
                if len(taken) == done:
                    break
        other.restore(one.state())
        rest = labels(other)
        while len(taken) + len(rest) < 6:
            rest += labels(other)
        assert taken + rest == whole


def test_a_sampler_begins_in_the_middle(torch) -> None:
    from jaxvstorch.examples.data.loader import EpochSampler

    sampler = EpochSampler(10, SEED)
    loader = load(torch, Points(), 4, sampler=sampler)
    sampler.set_epoch(2)
    whole = labels(loader)
    sampler.set_epoch(2, start=4)
    assert len(loader) == 2
    assert labels(loader) == whole[1:]
    assert whole == labels(_epoch(2))


def _epoch(epoch):
    batches = Batches(Points(), 4, SEED)
    batches.restore({"epoch": epoch, "step": 0})
    return batches


@pytest.mark.parametrize("workers", [0, 2])
def test_the_sampler_is_ahead_of_the_loop(torch, workers) -> None:
    taken = []

    class Counting(torch.utils.data.Sampler):
        def __iter__(self):
            for index in range(20):
                taken.append(index)
                yield index

        def __len__(self):
            return 20

    batches = iter(load(torch, Points(20), 2, sampler=Counting(), num_workers=workers))
    next(batches)
    # Two workers of two batches each, and one more sent for the batch that came.
    assert len(taken) == (10 if workers else 2)


def test_shuffling_on_the_device_compiles_once(jax, in_jax) -> None:
    @jax.jit
    def epoch(key, x):
        order = jax.random.permutation(key, len(x))
        return in_jax.batches_of_epoch(x, order, 4)

    x, key = jax.numpy.arange(20.0).reshape(10, 2), jax.random.key(SEED)
    epochs = [epoch(jax.random.fold_in(key, i), x) for i in (0, 1, 0)]
    assert [batches.shape for batches in epochs] == [(2, 4, 2)] * 3
    assert np.array_equal(epochs[0], epochs[2])
    assert not np.array_equal(epochs[0], epochs[1])
    assert epoch._cache_size() == 1
