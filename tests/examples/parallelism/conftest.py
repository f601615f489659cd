"""Many devices: eight of JAX's in a process of their own, eight of PyTorch's ranks in this one."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from types import ModuleType
from typing import Any

import eight_devices
import pytest


@pytest.fixture(scope="session")
def eight() -> Iterator[Callable[..., Any]]:
    """Calls a function where JAX's CPU is eight devices: the number is fixed in this process."""
    pytest.importorskip("jax", reason="JAX is not installed")
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=eight_devices.begin) as process:
        yield lambda function, *args, **named: process.submit(function, *args, **named).result()


@pytest.fixture
def ranks(torch: ModuleType) -> Iterator[ModuleType]:
    """PyTorch as the first of eight ranks, whose collectives do nothing."""
    torch.distributed.init_process_group("fake", rank=0, world_size=8)
    yield torch
    torch.distributed.destroy_process_group()
