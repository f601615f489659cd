"""``explain`` leaves the interpreter and the frameworks as they were, after errors too."""

import functools
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from surroundings import unchanged

from jaxvstorch import explain

CALLS: list[str] = []


def plain(x):
    CALLS.append("plain")
    y = x + 1
    return y * 2


def printing(x):
    CALLS.append("printing")
    y = x + 1
    print("half way")
    return y * 2


def wrong(x):
    CALLS.append("wrong")
    y = x + 1
    raise ValueError("on purpose")
    return y * 2


def of_a_value(x):
    CALLS.append("of_a_value")
    y = x + 1
    return y if (y > 0).all() else -y


def interrupted(x):
    CALLS.append("interrupted")
    y = x + 1
    raise KeyboardInterrupt
    return y * 2


def unrolling(x):
    while True:
        x = x + 1
    return x


def sleeping(x):
    y = x + 1
    time.sleep(60)
    return y


@pytest.fixture
def framework(framework) -> str:
    """What it sets up when it compiles for the first time is set up."""
    compiled(framework, lambda x: x + 1)(ones(framework, 1))
    if framework == "torch":
        pytest.importorskip("torch._inductor.config")
    CALLS.clear()
    return framework


def ones(framework: str, *shape: int) -> Any:
    module = pytest.importorskip(framework if framework == "torch" else "jax.numpy")
    return module.ones(shape or (3,))


def compiled(framework: str, function: Callable[..., Any], **options: Any) -> Any:
    module = pytest.importorskip(framework)
    if framework == "torch":
        return module.compile(function, backend="eager", **options)
    return module.jit(function)


@pytest.mark.parametrize("function", [plain, printing, wrong, of_a_value])
def test_nothing_is_changed(framework, function) -> None:
    with unchanged(framework):
        explain(function, ones(framework))


@pytest.mark.parametrize("function", [plain, printing, wrong, of_a_value])
def test_nothing_is_changed_by_explaining_what_is_compiled(framework, function) -> None:
    options = {"fullgraph": True} if framework == "torch" else {}
    jitted = compiled(framework, function, **options)
    with unchanged(framework):
        explain(jitted, ones(framework))


def test_nothing_is_changed_by_arguments_that_do_not_fit(framework) -> None:
    with unchanged(framework), pytest.raises(TypeError, match="does not take these arguments"):
        explain(plain, ones(framework), ones(framework))


def test_nothing_is_changed_where_the_function_is_interrupted(framework) -> None:
    with unchanged(framework), pytest.raises(KeyboardInterrupt):
        explain(interrupted, ones(framework))


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Ctrl-C is pressed during the block, and again much later, as by a person who saw no effect.

    Python drops an exception that is raised while it calls back for a weak reference that died.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    heard = threading.Event()

    def press() -> None:
        wait = seconds
        while not heard.wait(wait):
            os.kill(os.getpid(), signal.SIGINT)
            wait = 5.0

    hand = threading.Thread(target=press)
    hand.start()
    try:
        yield
    finally:
        heard.set()
        hand.join()
        signal.signal(signal.SIGINT, before)


# What is dropped there is also warned of.
@pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("function", [unrolling, sleeping])
def test_what_never_ends_can_be_interrupted(framework, function) -> None:
    with unchanged(framework), pytest.raises(KeyboardInterrupt), interrupted_after(1.0):
        explain(function, ones(framework))
    assert explain(plain, ones(framework)).programs
    assert compiled(framework, plain)(ones(framework)).sum() == 12


@pytest.mark.parametrize("function", [plain, printing, wrong, of_a_value])
def test_the_function_runs_once(framework, function) -> None:
    explanation = explain(function, ones(framework))
    assert [function.__name__] == CALLS
    assert "once" in explanation.ran


def test_what_it_prints_is_printed_once(framework, capfd) -> None:
    explain(printing, ones(framework))
    assert capfd.readouterr().out == "half way\n"


def test_the_names_of_its_module_stay_the_same(framework) -> None:
    before = dict(globals())
    explain(printing, ones(framework))
    assert set(globals()) == set(before)


def test_a_trace_function_set_before_is_there_again(framework) -> None:
    lines = []

    def tracer(frame, event, argument):
        lines.append((frame.f_code.co_name, event))
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        explain(wrong, ones(framework))
        after = sys.gettrace()
        lines.clear()
        ones(framework)
    finally:
        sys.settrace(before)
    assert after is tracer
    assert lines


def test_other_threads_keep_their_trace_function(framework) -> None:
    traced, done, kept = [], threading.Event(), []

    def tracer(frame, event, argument):
        traced.append(event)
        return tracer

    def work() -> None:
        sys.settrace(tracer)
        while not done.wait(0.001):
            pass
        kept.append(sys.gettrace())
        sys.settrace(None)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while not traced:
            time.sleep(0.001)
        explain(printing, ones(framework))
        # How often the other thread ran during the explanation is up to the scheduler.
        begun = len(traced)
        while len(traced) == begun:  # for ever, where its tracer is gone
            time.sleep(0.001)
    finally:
        done.set()
        thread.join()
    assert kept == [tracer]


def test_arguments_and_results_are_not_held(framework) -> None:
    def function(x):
        return x + 1

    argument = ones(framework)
    explanation = explain(function, argument)
    held = weakref.ref(function), weakref.ref(argument)
    del function, argument, explanation
    gc.collect()
    assert [reference() for reference in held] == [None, None]


def test_random_numbers_are_drawn_as_often_as_it_runs(framework) -> None:
    state = np.random.get_state()

    def noisy(x, draw):
        return x + draw()

    draw = functools.partial(np.random.standard_normal, 3)
    np.random.seed(0)
    noisy(np.ones(3), draw)
    once = np.random.standard_normal()
    np.random.seed(0)
    explain(noisy, ones(framework), draw)
    after = np.random.standard_normal()
    np.random.set_state(state)
    assert after == once


def test_the_first_text_draws_no_random_number() -> None:
    code = """
import random
before = random.getstate()
from jaxvstorch._explain.explanation import Explanation
assert str(Explanation("f", "jax", (), (), ()))
assert random.getstate() == before
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
