"""Batches made ahead: their order, their end, their errors; and how long a loop waits."""

import itertools
import threading

import pytest

from jaxvstorch.examples.data import waiting
from jaxvstorch.examples.data.prefetching import prefetch, prefetch_in_thread
from jaxvstorch.examples.data.waiting import Waiting

WAYS = pytest.mark.parametrize(
    "ahead", [lambda batches: prefetch(batches, lambda x: x), prefetch_in_thread], ids=["on", "in"]
)


@WAYS
@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_all_come_in_their_order(ahead, count) -> None:
    assert list(ahead(range(count))) == list(range(count))


def failing(count):
    yield from range(count)
    raise OSError("the disk is gone")


def test_an_error_comes_where_its_batch_would_have_been() -> None:
    ahead = prefetch_in_thread(failing(3))
    assert [next(ahead) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OSError, match="the disk is gone"):
        next(ahead)
    with pytest.raises(StopIteration):
        next(ahead)


def test_on_the_same_thread_an_error_comes_before_what_is_on_its_way() -> None:
    ahead = prefetch(failing(3), lambda x: x)
    assert next(ahead) == 0
    with pytest.raises(OSError, match="the disk is gone"):
        next(ahead)


def test_two_are_made_ahead() -> None:
    placed = []
    ahead = prefetch(range(10), placed.append)
    next(ahead)
    assert placed == [0, 1, 2]


def test_a_loop_that_is_left_ends_the_thread() -> None:
    made = []

    def source():
        for i in range(1000):
            made.append(i)
            yield i

    before = set(threading.enumerate())
    ahead = prefetch_in_thread(source())
    next(ahead)
    ahead.close()
    assert set(threading.enumerate()) <= before
    assert len(made) <= 3


def test_a_thread_makes_the_next_batch_while_the_loop_works() -> None:
    made = [threading.Event() for _ in range(6)]

    def source():
        for i, event in enumerate(made):
            event.set()
            yield i

    for i in prefetch_in_thread(source()):  # the loop's work ends when the next batch is made
        assert all(event.wait(60) for event in made[: i + 2])


def test_waiting_tells_the_time_in_next_from_the_rest(monkeypatch) -> None:
    now = itertools.accumulate([0, 2, 6, 1, 3, 5, 1])  # a clock that is not the machine's
    monkeypatch.setattr(waiting, "perf_counter", lambda: next(now))
    batches = Waiting("ab")
    assert list(batches) == ["a", "b"]
    assert (batches.waits, batches.works) == ([2, 1], [6, 3])
    assert batches.share == 3 / 12
