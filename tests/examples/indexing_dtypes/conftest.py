"""Two devices of JAX's, in a process of their own."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
import two_devices


@pytest.fixture(scope="session")
def two() -> Iterator[Callable[..., Any]]:
    """Calls a function where JAX's CPU is two devices: the number is fixed in this process."""
    pytest.importorskip("jax", reason="JAX is not installed")
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=two_devices.begin) as process:
        yield lambda function, *args: process.submit(function, *args).result()
