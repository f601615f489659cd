"""What every test shares: settings that must be made before a framework is imported."""

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from framework_versions import known_failures
from hypothesis import settings

from jaxvstorch._frameworks import FRAMEWORKS, TITLES, proven

# The same examples on every run, so that what fails, fails for everyone; and no time limit for
# one of them, because a first call compiles.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")

# Both frameworks may meet on one GPU during a test run; JAX must not take it all.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# A test compiles a kernel or two: the processes that Inductor would start for many cost more.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

# A shell's background job ignores Ctrl-C, and one under nohup SIGHUP; so would the programs that a
# test stops by these.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# These run in the environment of `nox -s installed`.
collect_ignore = ["installed"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice between the tests that are cheap and all of them."""
    parser.addoption("--matrix", action="store_true", help="run the tests of `nox -s nightly` too")


def pytest_configure(config: pytest.Config) -> None:
    """Name the marks of tests that are chosen by them."""
    config.addinivalue_line("markers", "matrix: costs much, and is left to `nox -s nightly`")
    config.addinivalue_line("markers", "sentinel: a pair that stands for its topic in the image")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the costly tests; expect what is known to fail on the installed versions."""
    if not config.getoption("matrix"):
        costly = [item for item in items if item.get_closest_marker("matrix")]
        config.hook.pytest_deselected(items=costly)
        items[:] = [item for item in items if item not in costly]
    known = known_failures()
    for item in items:
        if reason := known.get(item.nodeid):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Free memory between the tests of two files."""
    if nextitem is None or nextitem.path != item.path:
        free_memory()


def free_memory(above: int = 1_200_000_000, growth: int = 500_000_000) -> None:
    """Free what compilers keep, where the process has grown beyond some bytes, and again by more.

    JAX keeps every program that it compiled: some 20 MB for each pair that is tested, and over a
    whole run 5 GB in each worker. What is freed is compiled again, so it is not done at each test.
    """
    global _bytes_after_freeing
    if _resident_bytes() < max(above, _bytes_after_freeing + growth):
        return
    if jax := sys.modules.get("jax"):
        jax.clear_caches()
    if "torch._dynamo" in sys.modules:
        sys.modules["torch"].compiler.reset()
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what is free goes back to the system
    _bytes_after_freeing = _resident_bytes()


_bytes_after_freeing = 0


def _resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.fixture
def memory_freed() -> Iterator[None]:
    """For the tests of a file that alone fill the memory."""
    yield
    free_memory()


@pytest.fixture(params=FRAMEWORKS)
def framework(request) -> str:
    """Its name; Dynamo's caches are empty."""
    pytest.importorskip(request.param, reason=f"{TITLES[request.param]} is not installed")
    if request.param == "torch":
        request.getfixturevalue("fresh_torch_compile")
    return request.param


@pytest.fixture
def fresh_torch_compile() -> Iterator[None]:
    """Dynamo with empty caches: what earlier tests compiled does not count towards its limits."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.fixture
def compiled_by_jax() -> Iterator[list[str]]:
    """The names of the programs that JAX compiles in this test, in their order."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    names: list[str] = []

    def listen(event: str, seconds: float, **details: str | int) -> None:
        if event.endswith("/backend_compile_duration"):
            names.append(str(details["fun_name"]))

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield names
    jax.monitoring.unregister_event_duration_listener(listen)


@pytest.fixture
def strict_promotion() -> Iterator[None]:
    """JAX refuses to mix dtypes, so that an example cannot widen or narrow unseen."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    with jax.numpy_dtype_promotion("strict"):
        yield


@pytest.fixture(autouse=True)
def versions_as_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports say nothing of newer versions, so that they are the same on all."""
    monkeypatch.setattr(proven, "newer", lambda framework: "")


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """What an impure example kept in its module's list is not there for the next test."""
    yield
    for framework in ("jax", "torch"):
        if half := sys.modules.get(f"jaxvstorch.examples.purity.{framework}"):
            half.kept.clear()
