"""Orders and states of batches, and processes that read data beside JAX."""

import multiprocessing
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from jaxvstorch.examples.data.batches import Batches, numpy_collate, order_of_epoch
from jaxvstorch.examples.data.sources import Deadly, Drawing, Points, Unreadable

SEED = 3


def labels(batches) -> list[list[int]]:
    """The labels of each batch, which say which examples it has."""
    return [[int(y) for y in batch[1]] for batch in batches]


def load(torch, source, size=2, **options) -> Any:
    """PyTorch's loader; workers start from a process that has imported PyTorch, and not JAX."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch.utils.data", "jaxvstorch.examples.data.sources"])
    options |= {"collate_fn": numpy_collate, "multiprocessing_context": context}
    return torch.utils.data.DataLoader(
        source, size, num_workers=options.pop("workers", 1), **options
    )


def printed(code: str) -> list[str]:
    """What a fresh Python prints, line by line."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


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
        str(torch.randperm(10, generator=torch.Generator().manual_seed(SEED)).tolist()),
        str(jax.random.permutation(key, 10).tolist()),
    ]


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


def test_a_worker_init_function_can_seed_what_is_copied(torch) -> None:
    generator = torch.Generator().manual_seed(0)
    options = {"workers": 2, "generator": generator, "worker_init_fn": reseed}
    found = list(load(torch, Drawing(4), 1, **options))
    assert len({own.item() for _, own, _ in found}) == 4


def reseed(worker: int) -> None:
    import torch

    info = torch.utils.data.get_worker_info()
    info.dataset.generator = np.random.default_rng(info.seed)


@pytest.mark.parametrize("shown", ["lambda", "class"])
def test_what_a_worker_cannot_import_is_an_error(torch, shown) -> None:
    class Local(Points):
        pass

    source = Local() if shown == "class" else Points()
    begin = (lambda _: None) if shown == "lambda" else None
    loader = load(torch, source, worker_init_fn=begin)
    with (
        pytest.warns(UserWarning, match="Got pickle error"),
        pytest.raises((AttributeError, pickle.PicklingError), match="local object"),
    ):
        next(iter(loader))


FORK = """
import os, warnings
import jax
for started in (False, True):
    if started:
        jax.numpy.ones(3).block_until_ready()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    print([str(each.message)[:90] for each in caught if "JAX" in str(each.message)])
"""


def test_jax_warns_of_fork_once_it_has_a_backend(jax) -> None:
    before, after = printed(FORK)
    assert before == "[]"
    assert "os.fork() is incompatible with multithreaded code" in after


@pytest.mark.matrix
def test_a_worker_of_pytorch_that_dies_is_an_error(torch) -> None:
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(load(torch, Deadly()))


@pytest.fixture
def grain():
    """Grain's workers ask for a flag of absl's, which knows none before a program parsed them."""
    grain = pytest.importorskip("grain", reason="grain is not installed")
    from absl import flags

    flags.FLAGS.mark_as_parsed()
    yield grain
    flags.FLAGS.unparse_flags()


def test_worker_processes_keep_the_order_and_the_draws_and_pass_an_error_on(grain) -> None:
    # One test of all three: each worker is spawned, and imports grain, and JAX with it.
    from jaxvstorch.examples.data.grain import Shifted

    def shifted(source):
        dataset = grain.MapDataset.source(source).shuffle(seed=SEED).batch(1)
        return dataset.seed(SEED).random_map(Shifted())

    alone = list(shifted(Points()))
    turn = labels(alone).index([5])
    assert turn >= 4  # each of the two has given two batches before
    ahead = iter(
        shifted(Unreadable())
        .to_iter_dataset()
        .mp_prefetch(grain.MultiprocessingOptions(num_workers=2))
    )
    together = [next(ahead) for _ in range(turn)]
    assert labels(together) == labels(alone[:turn])
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(alone, together, strict=False))
    with pytest.raises(ValueError, match="example 5 cannot be read"):
        next(ahead)


@pytest.mark.matrix
def test_a_worker_of_grain_that_dies_is_an_error(grain) -> None:
    batches = grain.MapDataset.source(Deadly()).batch(2).to_iter_dataset()
    with pytest.raises(RuntimeError, match="terminated unexpectedly with exit code 3"):
        list(batches.mp_prefetch(grain.MultiprocessingOptions(num_workers=1)))
