"""Threads that explain, and threads that compile while another one explains."""

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from jaxvstorch import explain

TIMES = 3


def squared_twice(x):
    for _ in range(2):
        x = x * x
    return x


def recalled(x):
    return squared_twice(x) + 1


def in_threads(*works: Callable[[], Any]) -> list[Any]:
    """What each function returned, in its own thread; raises the first error of any of them."""
    results: list[Any] = [None] * len(works)

    def run(number: int) -> None:
        try:
            results[number] = works[number]()
        except BaseException as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def test_each_thread_gets_its_own_explanation(framework, x) -> None:
    alone = {f: explain(f, x).marks() for f in (squared_twice, recalled)}

    def explaining(function: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: [explain(function, x).marks() for _ in range(TIMES)]

    functions = [squared_twice, recalled] * 2
    explanations = in_threads(*map(explaining, functions))
    assert explanations == [[alone[function]] * TIMES for function in functions]
    assert sys.gettrace() is None or "coverage" in repr(sys.gettrace())


def test_a_function_that_is_explained_may_explain_another(framework, x) -> None:
    inner = []

    def explaining() -> None:
        inner.append(explain(squared_twice, np.ones(3, np.float32), framework="jax"))

    if framework == "torch":
        import torch

        explaining = torch.compiler.disable(explaining)

    def outer(x):
        explaining()
        return x + 1

    assert [program.operations for program in explain(outer, x).programs] == [{"A": 1}]
    assert [len(explanation.programs) for explanation in inner] == [1]


def test_nothing_stays_patched(framework, x) -> None:
    before = list(warnings.filters), patchable(framework)
    in_threads(*[lambda: explain(recalled, x)] * 3)
    assert (list(warnings.filters), patchable(framework)) == before


def patchable(framework: str) -> list[Any]:
    if framework == "jax":
        return []
    from torch._dynamo import convert_frame, symbolic_convert, utils

    return [
        convert_frame.CatchErrorsWrapper.__call__,
        symbolic_convert.InstructionTranslatorBase.starts_line,
        symbolic_convert.InstructionTranslatorBase.is_co_filename_from_nn_modules,
        utils.CleanupHook.create,
    ]


@contextmanager
def compiling_models() -> Iterator[tuple[list[Any], threading.Thread]]:
    """A block in which another thread compiles and calls one model after the other."""
    import torch

    models: list[Any] = []
    done = threading.Event()
    errors: list[Exception] = []

    def work() -> None:
        try:
            while not done.is_set():
                model = torch.compile(torch.nn.Linear(3, 1), backend="eager")
                for size in (4, 5, 6):
                    model(torch.ones(size, 3))
                models.append(model)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield models, thread
    finally:
        done.set()
        thread.join()
        assert errors == []


@pytest.mark.usefixtures("fresh_torch_compile")
def test_what_another_thread_compiles_meanwhile_stays() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    known = set(globals()) | set(vars(torch.nn.modules.linear))
    with compiling_models() as (models, thread):
        while len(models) < 3 and thread.is_alive():
            explanation = explain(recalled, torch.ones(3))
            assert explanation.programs[0].operations == {"A": 3}
    for model in models:
        with torch.compiler.set_stance("fail_on_recompile"):
            model(torch.ones(4, 3))
            model(torch.ones(6, 3))
    # What is compiled is gone once nobody has it, and so are the names that it put anywhere. Those
    # of modules stay, since the other thread's programs may need them.
    left = {name for name in globals() if name not in known}
    assert {name for name in left if not name.startswith("__import_")} == set()


@pytest.mark.usefixtures("fresh_torch_compile")
def test_what_another_thread_begins_before_and_compiles_during_the_call_stays() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    has_begun, may_go_on = threading.Event(), threading.Event()

    @torch.compiler.disable
    def pause() -> None:
        has_begun.set()
        assert may_go_on.wait(60)

    def in_two_graphs(x):
        y = x * 2
        pause()
        return y + 1

    compiled = torch.compile(in_two_graphs, backend="eager")
    thread = threading.Thread(target=compiled, args=(torch.ones(3),))

    @torch.compiler.disable
    def let_go_on() -> None:
        may_go_on.set()
        thread.join()

    def explained(x):
        let_go_on()
        return x + 1

    thread.start()
    assert has_begun.wait(60)
    assert explain(explained, torch.ones(3)).programs
    with torch.compiler.set_stance("fail_on_recompile"):
        compiled(torch.ones(3))
