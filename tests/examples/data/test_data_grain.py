"""grain: its order, its state, its workers, and what it gives to either framework."""

import numpy as np
import pytest
from loading import labels

from jaxvstorch.examples.data.sources import Deadly, Points, Unreadable

grain = pytest.importorskip("grain", reason="grain is not installed")
in_grain = pytest.importorskip("jaxvstorch.examples.data.grain")

SEED = 3
WORKERS = {n: grain.MultiprocessingOptions(num_workers=n) for n in (1, 2)}


@pytest.fixture
def parsed_flags():
    """Grain's workers ask for a flag of absl's, which knows none before a program parsed them."""
    from absl import flags

    flags.FLAGS.mark_as_parsed()
    yield
    flags.FLAGS.unparse_flags()


def pipeline(epochs=1, source=None):
    return in_grain.shuffled_batches(source or Points(), 4, SEED, epochs)


def test_a_map_dataset_has_batches_by_index_and_an_order_for_each_epoch() -> None:
    two = pipeline(2)
    assert len(two) == 5
    flat = np.concatenate(labels(two)).tolist()
    assert sorted(flat[:10]) == sorted(flat[10:]) == list(range(10))
    assert flat[:10] != flat[10:]
    assert labels([two[3]])[0] == flat[12:16]
    assert labels([two[2]])[0] == flat[8:12]  # of both epochs


def test_the_batches_are_numpy_s(jax) -> None:
    x, y = pipeline()[0]
    assert (type(x), x.dtype, y.dtype) == (np.ndarray, np.float32, np.int64)
    assert jax.device_put((x, y))[1].dtype == np.int32


def test_an_iterator_goes_on_from_its_state() -> None:
    batches = iter(pipeline().to_iter_dataset())
    next(batches)
    state = batches.get_state()
    assert state == {"next_index": 1}
    rest = labels(batches)
    again = iter(pipeline().to_iter_dataset())
    again.set_state(state)
    assert labels(again) == rest
    assert len(rest) == 2


def test_a_state_says_nothing_of_the_pipeline_it_is_from() -> None:
    other = iter(in_grain.shuffled_batches(Points(), 2, SEED + 1).to_iter_dataset())
    other.set_state({"next_index": 1})
    assert len(labels(other)) == 4


def test_batches_before_the_repetition_keep_the_epochs_apart() -> None:
    shuffled = grain.MapDataset.source(Points()).shuffle(seed=SEED)
    for drop, sizes in ((False, [4, 4, 2]), (True, [4, 4])):
        found = labels(shuffled.batch(4, drop_remainder=drop).repeat(2))
        assert [len(batch) for batch in found] == sizes * 2
        first, second = found[: len(sizes)], found[len(sizes) :]
        assert len(set(np.concatenate(first))) == sum(sizes)
        assert first != second


def test_without_processes_threads_keep_the_order() -> None:
    for threads in (0, 1, 16):
        options = grain.ReadOptions(num_threads=threads)
        assert labels(pipeline().to_iter_dataset(options)) == labels(pipeline())


def test_an_error_of_the_source_is_raised_as_it_is() -> None:
    batches = grain.MapDataset.source(Unreadable()).batch(2).to_iter_dataset()
    with pytest.raises(ValueError, match=r"^example 5 cannot be read"):
        list(batches)


def test_a_random_map_draws_the_same_again_and_others_in_the_next_epoch() -> None:
    def shifts(seed):
        dataset = grain.MapDataset.source(Points(3)).seed(seed).random_map(in_grain.Shifted())
        return [x[0] for x, _ in dataset.repeat(2)]

    first = shifts(0)
    assert shifts(0) == first
    assert shifts(1) != first
    assert first[:3] != first[3:]


def test_the_older_loader_asks_the_source_for_its_name() -> None:
    class Nameless(Points):
        __repr__ = object.__repr__

    batches = iter(in_grain.loader(Points(), 4, SEED))
    next(batches)
    state, rest = batches.get_state(), labels(batches)
    again = iter(in_grain.loader(Points(), 4, SEED))
    again.set_state(state)
    assert labels(again) == rest
    for source, seed, other in (
        (Nameless(), SEED, "DataSource"),
        (Points(11), SEED, "Sampler"),
        (Points(), SEED + 1, "Sampler"),
    ):
        with pytest.raises(ValueError, match=f"{other} in checkpoint does not match"):
            iter(in_grain.loader(source, 4, seed)).set_state(state)


def test_workers_need_parsed_flags() -> None:
    from absl import flags

    if flags.FLAGS.is_parsed():
        pytest.skip("somebody parsed them")
    batches = pipeline().to_iter_dataset().mp_prefetch(WORKERS[1])
    with pytest.raises(flags.UnparsedFlagAccessError):
        next(iter(batches))


def test_worker_processes_keep_the_order_and_the_draws_and_pass_an_error_on(parsed_flags) -> None:
    # One test of all three: each worker is spawned, and imports grain, and JAX with it.
    def shifted(source):
        dataset = grain.MapDataset.source(source).shuffle(seed=SEED).batch(1)
        return dataset.seed(SEED).random_map(in_grain.Shifted())

    alone = list(shifted(Points()))
    turn = labels(alone).index([5])
    assert turn >= 4  # each of the two has given two batches before
    ahead = iter(shifted(Unreadable()).to_iter_dataset().mp_prefetch(WORKERS[2]))
    together = [next(ahead) for _ in range(turn)]
    assert labels(together) == labels(alone[:turn])
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(alone, together, strict=False))
    with pytest.raises(ValueError, match="example 5 cannot be read"):
        next(ahead)


@pytest.mark.matrix  # the page runs the same, and a checked cell of it holds the sizes
def test_the_older_loader_s_workers_make_other_batches(parsed_flags) -> None:
    alone, together = (labels(in_grain.loader(Points(), 4, SEED, n)) for n in (0, 2))
    assert [len(batch) for batch in alone] == [4, 4, 2]
    assert [len(batch) for batch in together] == [4, 4, 1, 1]
    assert sorted(np.concatenate(together)) == list(range(10))


@pytest.mark.matrix
def test_a_worker_that_dies_is_an_error(parsed_flags) -> None:
    batches = grain.MapDataset.source(Deadly()).batch(2).to_iter_dataset()
    with pytest.raises(RuntimeError, match="terminated unexpectedly with exit code 3"):
        list(batches.mp_prefetch(WORKERS[1]))
