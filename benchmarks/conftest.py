"""The sessions' options, and what a session adds to pytest-benchmark's file."""

import gc
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from benchmarks import framework_facts as facts
from benchmarks import machine, selection
from benchmarks.selection import FRAMEWORKS
from jaxvstorch._measure.fresh import set_up_of_server, start_server
from jaxvstorch._measure.waiting import in_new_thread
from jaxvstorch._messages import tidy


class Stopwatch:
    """Counts the time that went into compiling and timing."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.set_up = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time inside the block."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - start


STOPWATCH = Stopwatch()
FAILED: list[str] = []
PLANNED: list[str] = []
DONE: set[str] = set()
BEGUN = time.perf_counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say which framework this process times."""
    parser.addoption("--framework", choices=FRAMEWORKS, required=True)
    parser.addoption("--quick", action="store_true", help="the few cases of a quick session")
    parser.addoption("--again", action="store_true", help="no first calls and no new shapes")
    parser.addoption("--synchronous", action="store_true", help="JAX dispatches synchronously")
    parser.addoption("--gpu-memory", type=int, default=0, help="bytes of the GPU to fill")
    parser.addoption("--tell", metavar="FILE", help="where to write what is timed now")
    parser.addoption("--seconds", type=float, help="leave out cases that have not begun by then")


def pytest_configure(config: pytest.Config) -> None:
    """Switch off JAX's asynchronous dispatch before anything asks JAX for its devices."""
    if config.getoption("--synchronous"):
        machine.hand_nothing_over()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per case of this process's framework."""
    names = ("--framework", "--quick", "--gpu-memory", "--synchronous")
    framework, quick, memory, synchronous = map(metafunc.config.getoption, names)
    if "case" in metafunc.fixturenames:
        # Elsewhere than on a CPU there is no such way of calling.
        nothing = synchronous and facts.computes_elsewhere(framework)
        cases = [] if nothing else selection.cases(framework, quick, memory, synchronous)
        metafunc.parametrize("case", cases, ids=str)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember what is to be timed."""
    PLANNED.extend(item.nodeid for item in session.items)
    _tell(session.config, f"planned {len(PLANNED)}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out a case whose time is over.

    The first one is always timed: pytest-benchmark writes nothing where there is nothing.
    """
    _tell(item.config, f"case {_name(item.nodeid)}")
    seconds = item.config.getoption("--seconds")
    over = seconds is not None and time.perf_counter() - BEGUN > seconds
    if over and DONE:
        pytest.skip("its time is up")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run each case in a new thread, from building its inputs on.

    The C library gives it memory from a heap without the holes that pytest has left in the main
    thread's. There PyTorch's calls of 5 µs, which get memory for each result, took up to 8 % longer
    than in a bare process, and as long here, within 3 % (torch 2.13.0, 2 cores, 2026-11-22). The
    main thread must not compute: see ``in_fair_thread``.
    """
    case = pyfuncitem.obj
    pyfuncitem.obj = lambda **arguments: in_new_thread(partial(case, **arguments))
    return (yield)


@pytest.fixture(scope="session", autouse=True)
def set_up(pytestconfig: pytest.Config, framework: str) -> None:
    """Set the framework up before anything is timed.

    The server of first calls imports what it needs at the same time, and then it waits.
    """
    machine.keep_freed_memory()
    gc.disable()  # what imports make stays, and looking through it is a quarter of their time
    without = pytestconfig.getoption("--again") or pytestconfig.getoption("--synchronous")
    first_calls = framework != "numpy" and not without
    if first_calls:
        start_server(framework)
    machine.import_framework(framework)
    once_per_machine = set_up_of_server(framework) if first_calls else 0.0
    machine.set_threads(framework)
    facts.set_precision(framework)
    STOPWATCH.set_up = once_per_machine + machine.set_up(framework)
    STOPWATCH.seconds += STOPWATCH.set_up
    gc.enable()
    gc.collect()
    gc.freeze()  # what is there by now stays: collecting after each case need not look at it


@pytest.fixture
def stopwatch() -> Stopwatch:
    """The process's one stopwatch."""
    return STOPWATCH


@pytest.fixture(autouse=True)
def cleaned_up(framework: str) -> Iterator[None]:
    """What a case leaves behind is dropped before the next one."""
    yield
    machine.clean_up(framework)


@pytest.fixture(scope="session")
def framework(pytestconfig: pytest.Config) -> Any:
    """The framework that this process times."""
    return pytestconfig.getoption("--framework")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember what failed or never ran: the results file must not have a silent gap."""
    if report.when == "call" or report.failed:
        DONE.add(report.nodeid)
    if report.failed and not any(line.startswith(f"{report.nodeid}: ") for line in FAILED):
        last = report.longreprtext.strip().splitlines()[-1:]
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash else " ".join(last)
        FAILED.append(f"{report.nodeid}: {tidy(message).splitlines()[0]}")


def pytest_benchmark_generate_machine_info() -> dict[str, Any]:
    """This project's own description: asking for pytest-benchmark's takes a second."""
    return machine.describe()


def pytest_benchmark_update_json(config: pytest.Config, output_json: dict[str, Any]) -> None:
    """Add what pytest-benchmark does not know."""
    framework = config.getoption("--framework")
    output_json["session"] = {
        "busy": STOPWATCH.seconds,
        "set_up": STOPWATCH.set_up,
        "failed": FAILED,
        "left_out": [_name(node) for node in PLANNED if node not in DONE],
        "versions": facts.versions(framework),
        "threads": facts.threads(framework),
        "device": facts.device(framework),
        "precision": facts.precision(framework),
        "peak_memory": facts.peak_memory(framework),
    }


def pytest_unconfigure() -> None:
    """End at once: looking for garbage at its end kept a process with PyTorch for a second."""
    gc.freeze()


def _name(node: str) -> str:
    """A case's name."""
    return node.partition("[")[2].removesuffix("]")


def _tell(config: pytest.Config, line: str) -> None:
    """Write a line for whoever watches this process."""
    if file := config.getoption("--tell"):
        with open(file, "a", encoding="utf-8") as told:
            print(line, file=told)
