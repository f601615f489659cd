"""Worker processes of PyTorch's loader: how they start, what they draw, how they fail."""

import pickle
import warnings

import pytest
from loading import load, printed

from jaxvstorch.examples.data.sources import Drawing, Points, Unreadable


def draws(torch, **options):
    generator = torch.Generator().manual_seed(0)
    found = load(torch, Drawing(4), 1, num_workers=2, generator=generator, **options)
    return [tuple(part.item() for part in batch) for batch in found]


def test_workers_share_no_draw_of_the_global_generator_but_all_of_a_copied_one(torch) -> None:
    found = draws(torch)
    everywhere, own, processes = zip(*found, strict=True)
    assert len(set(processes)) == 2
    assert len(set(everywhere)) == 4  # PyTorch seeds NumPy's in each worker
    assert own[0] == own[1] != own[2] == own[3]
    assert [each[:1] for each in draws(torch)] == [each[:1] for each in found]


def test_a_worker_init_function_can_seed_what_is_copied(torch) -> None:
    found = draws(torch, worker_init_fn=reseed)
    assert len({own for _, own, _ in found}) == 4


def reseed(worker: int) -> None:
    import numpy as np
    import torch

    info = torch.utils.data.get_worker_info()
    info.dataset.generator = np.random.default_rng(info.seed)


def test_new_workers_draw_the_copied_numbers_again_and_those_that_stay_go_on(torch) -> None:
    for stay in (False, True):
        loader = load(torch, Drawing(2), 1, num_workers=1, persistent_workers=stay)
        epochs = [[float(batch[1][0]) for batch in loader] for _ in range(2)]
        assert (epochs[0] == epochs[1]) is not stay


def test_an_error_in_a_worker_arrives_with_its_type_and_its_batch_s_turn(torch) -> None:
    loader = iter(load(torch, Unreadable(), num_workers=2))
    assert [next(loader)[1].tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="example 5 cannot be read") as caught:
        next(loader)
    assert "Caught ValueError in DataLoader worker process 0" in str(caught.value)


@pytest.mark.parametrize("shown", ["lambda", "class"])
def test_what_a_worker_cannot_import_is_an_error(torch, shown) -> None:
    class Local(Points):
        pass

    source = Local() if shown == "class" else Points()
    begin = (lambda _: None) if shown == "lambda" else None
    loader = load(torch, source, num_workers=1, worker_init_fn=begin)
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


def test_a_fork_server_forks_no_process_that_has_jax(torch, jax) -> None:
    with warnings.catch_warnings(action="error"):
        assert len(list(load(torch, Points(), num_workers=1))) == 5


@pytest.mark.matrix
def test_a_worker_that_dies_is_an_error(torch) -> None:
    from jaxvstorch.examples.data.sources import Deadly

    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(load(torch, Deadly(), num_workers=1))
