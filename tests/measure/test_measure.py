"""The clock for later calls: it waits, it starts warm, and its thread is its own."""

import gc
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

from jaxvstorch import _measure
from jaxvstorch._measure import later_calls, waiting
from jaxvstorch._measure.first_calls import require_new_shape

NAP = 0.005


def nap() -> None:
    time.sleep(NAP)


def test_one_call_takes_as_long_as_it_takes() -> None:
    found = _measure.steady(nap, seconds=0.05)
    assert found.median >= NAP
    assert found.calls == 1
    assert found.rounds >= 5


def test_a_short_call_is_timed_many_to_a_round(monkeypatch) -> None:
    calls = []
    clock = SimpleNamespace(perf_counter=lambda: 1e-6 * len(calls))  # a call takes a microsecond
    monkeypatch.setattr(later_calls, "time", clock)
    timing = _measure.steady(lambda: calls.append(0), seconds=0.02)
    assert timing.calls * 1e-6 >= later_calls._ROUND_SECONDS
    assert timing.median == pytest.approx(1e-6)


def test_garbage_collector_is_off_while_timing_and_back_on_after() -> None:
    seen = []
    _measure.steady(lambda: seen.append(gc.isenabled()), seconds=0.01)
    assert not seen[-1]
    assert gc.isenabled()


def stack_depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame := frame.f_back:
        depth += 1
    return depth


def test_call_stack_is_short_however_deep_the_caller_is() -> None:
    depths = []

    def from_deep_inside(level: int) -> None:
        if level:
            from_deep_inside(level - 1)
        else:
            _measure.steady(lambda: depths.append(stack_depth()), seconds=0.01)

    from_deep_inside(100)
    assert max(depths) < 8


def test_calls_run_in_a_thread_of_their_own() -> None:
    threads = set()
    _measure.steady(lambda: threads.add(threading.get_ident()), seconds=0.01)
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_calls_of_pytorch_stay_in_the_thread_that_asks() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    threads = set()
    _measure.steady(lambda x: threads.add(threading.get_ident()), torch.ones(1), seconds=0.01)
    assert threads == {threading.get_ident()}


def test_inputs_are_freed_at_once() -> None:
    """They may fill a GPU, and the next ones come before the garbage collector does."""

    class Array:
        pass

    array = Array()
    kept = weakref.ref(array)
    gc.disable()
    try:
        run = waiting.one_pass(lambda x: None, [(array,)])
        run()
        del array, run
        assert kept() is None
    finally:
        gc.enable()


def test_inputs_are_taken_in_turn() -> None:
    seen: list[int] = []
    _measure.steady(seen.append, 1, others=[(2,), (3,)], seconds=0.01)
    assert seen[1:7] == [1, 2, 3, 1, 2, 3]  # after the one call that shows what to wait for


@pytest.mark.parametrize(
    "container", [lambda x: x, lambda x: {"a": (x,)}], ids=["an array", "a tree"]
)
def test_steady_waits_for_what_jax_has_not_computed_yet(container) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def slowly(x):
        time.sleep(NAP)
        return np.asarray(x)

    function = jax.jit(lambda x: container(jax.pure_callback(slowly, x, x)))
    assert _measure.steady(function, jax.numpy.ones(3), seconds=0.05).median >= NAP


def test_steady_times_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    assert _measure.steady(torch.sin, torch.linspace(0, 1, 9), seconds=0.02).median > 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: _measure.steady(3), TypeError, "function must be callable, not int"),
        (lambda: _measure.steady(nap, others=[3]), TypeError, "arguments must be a tuple, not int"),
        (lambda: _measure.steady(nap, seconds=0), ValueError, "seconds must be a positive"),
        (lambda: _measure.steady(nap, seconds="1"), ValueError, "seconds must be a positive"),
        (lambda: _measure.steady(nap, seconds=True), ValueError, "seconds must be a positive"),
        (lambda: _measure.steady(nap, seconds=10**400), ValueError, "positive number, not inf"),
        (lambda: _measure.steady(nap, others=3), TypeError, "list of argument tuples, not int"),
        (lambda: _measure.new_shape(nap, 3, ()), TypeError, "arguments must be a tuple, not int"),
        (
            lambda: _measure.first_call(nap, framework="jax", static_argnames=3),
            TypeError,
            "static_argnames must be a tuple of names, not 3",
        ),
        (lambda: _measure.first_call(nap, 3), TypeError, "arrays of neither framework"),
        (lambda: _measure.first_call(dict, 3), TypeError, "must not be a class: .* uses dict"),
        (lambda: _measure.fresh_calls("nap"), TypeError, "callable or 'package.module:name'"),
        (lambda: _measure.first_call(nap, framework="jx"), ValueError, "must be 'jax' or 'torch'"),
    ],
    ids=range(13),
)
def test_bad_input_is_named(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()


def generator():
    yield 1


async def asynchronous():
    return 1


async def asynchronous_generator():
    yield 1


@pytest.mark.parametrize(
    ("function", "name", "cure"),
    [
        (generator, "generator", r"list\(\.\.\.\)"),
        (asynchronous, "coroutine", r"asyncio\.run"),
        (lambda *_: Future(), "Future", r"\.result\(\)"),
        (asynchronous_generator, "async_generator", r"list\(\.\.\.\)"),
        (lambda: map(abs, [1]), "map", r"list\(\.\.\.\)"),
    ],
    ids=range(5),
)
def test_a_function_that_puts_its_work_off_is_refused(function, name, cure) -> None:
    message = f"function returned a {name}, which has not done its work yet.*{cure}"
    with pytest.raises(TypeError, match=message):
        _measure.steady(function, seconds=0.01)


def test_seconds_may_be_a_number_of_numpy() -> None:
    assert _measure.steady(np.negative, np.ones(3), seconds=np.float32(0.01)).rounds >= 5


def test_other_inputs_may_come_one_by_one() -> None:
    seen: list[int] = []
    _measure.steady(seen.append, 1, others=((i,) for i in (2, 3)), seconds=0.01)
    assert set(seen) == {1, 2, 3}


HOLDS_ITSELF: list[object] = [1]
HOLDS_ITSELF.append(HOLDS_ITSELF)
DEEP: list[object] = []
for _ in range(100_000):
    DEEP = [DEEP]


def test_arguments_by_name_reach_each_call() -> None:
    seen = set()
    timing = _measure.steady(
        lambda x, run, k0: seen.add((x, run, k0)), 1, others=[(2,)], run=3, k0=4, seconds=0.01
    )
    assert timing.rounds >= 5
    assert seen == {(1, 3, 4), (2, 3, 4)}


@pytest.mark.parametrize("framework", ["jax", "torch"])
@pytest.mark.parametrize("value", [HOLDS_ITSELF, DEEP], ids=["holds itself", "deep"])
def test_arrays_are_looked_for_in_what_has_no_end(framework, value) -> None:
    module = pytest.importorskip(framework, reason=f"{framework} is not installed")
    one = module.numpy.ones(1) if framework == "jax" else module.ones(1)
    assert waiting.arrays_of(framework, [value, {"a": (one,)}]) == [one]
    assert _measure.steady(lambda x: x, value, seconds=0.01).rounds >= 5


def test_jax_says_that_it_cannot_wait_for_what_holds_itself() -> None:
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    result = [HOLDS_ITSELF, jnp.ones(1)]
    with pytest.raises(TypeError, match="cannot look for arrays in a value that holds itself"):
        _measure.steady(lambda: result, seconds=0.01)


def zeros(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("args", "other"),
    [
        ((zeros(3),), (zeros(3),)),
        (({"a": [zeros(3), 2]},), ({"a": [zeros(3), 2]},)),
        ((HOLDS_ITSELF, zeros(3)), (HOLDS_ITSELF, zeros(3))),
        ((), ()),
    ],
    ids=range(4),
)
def test_a_new_shape_that_is_not_new_is_refused(args, other) -> None:
    with pytest.raises(ValueError, match="args and other have the same shapes and dtypes"):
        _measure.new_shape(np.sin, args, other, framework="jax")


@pytest.mark.parametrize(
    ("args", "other"),
    [
        ((zeros(3),), (zeros(4),)),
        ((zeros(3),), (zeros(3, 1),)),
        ((zeros(3), 2), (zeros(3), 3)),
        (([zeros(3)],), ([zeros(3)] * 2,)),
        ((HOLDS_ITSELF, zeros(3)), (HOLDS_ITSELF, zeros(4))),
    ],
    ids=range(5),
)
def test_what_can_be_compiled_anew_is_a_new_shape(args, other) -> None:
    require_new_shape(args, other)


def test_a_jax_function_that_returns_nothing_cannot_be_timed() -> None:
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    with pytest.raises(TypeError, match="returns None"):
        _measure.steady(lambda x: None, jnp.ones(3))


def test_a_setting_that_would_be_lost_in_the_thread_is_an_error() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.enable_x64(True), pytest.raises(RuntimeError, match="jax_enable_x64"):
        _measure.steady(nap, seconds=0.01)


def test_grad_mode_that_would_be_lost_in_the_thread_is_an_error() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    with torch.no_grad(), pytest.raises(RuntimeError, match="is_grad_enabled"):
        _measure.steady(nap, seconds=0.01)


def test_an_error_in_what_is_timed_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        _measure.steady(lambda: 1 / 0)


@pytest.fixture
def heeded():
    """Ctrl-C is heard. Where tests run in the background of a shell, Python would not hear it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wake_the_one_that_waits() -> None:
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def be_noticed_when_the_work_has_ended() -> None:
    """As where the signal comes just before the wait begins: what it is in is not broken off."""
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("ctrl_c", [wake_the_one_that_waits, be_noticed_when_the_work_has_ended])
def test_ctrl_c_leaves_nothing_running(heeded, ctrl_c) -> None:
    calls: list[int] = []

    def call() -> None:
        calls.append(0)
        if len(calls) == 1:
            ctrl_c()

    with pytest.raises(KeyboardInterrupt):
        _measure.steady(call, seconds=0.2)
    made = len(calls)
    assert made > 5  # it was in the middle of its rounds
    time.sleep(0.05)
    assert len(calls) == made


def test_arrays_are_found_anywhere() -> None:
    jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")
    assert len(waiting.arrays_of("jax", [{"a": jnp.ones(1)}, (jnp.ones(1), 3)])) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.ones(3), np.ones(3, np.float32)),
        ({"a": np.ones(3)}, {"b": np.ones(3)}),
        (1, True),
        (1, 1.0),
    ],
)
def test_another_dtype_structure_or_kind_of_value_is_new(first, second) -> None:
    require_new_shape((first,), (second,))
    with pytest.raises(ValueError, match="have the same shapes and dtypes"):
        require_new_shape((second,), (second,))
