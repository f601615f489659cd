"""What several test modules of this topic share."""

import multiprocessing
import subprocess
import sys
from typing import Any

from jaxvstorch.examples.data.batches import numpy_collate


def labels(batches) -> list[list[int]]:
    """The labels of each batch, which say which examples it has."""
    return [[int(y) for y in batch[1]] for batch in batches]


def workers() -> Any:
    """Worker processes that start from one which has imported PyTorch, and not JAX."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch.utils.data", "jaxvstorch.examples.data.sources"])
    return context


def load(torch, source, size=2, **options) -> Any:
    """PyTorch's loader, with NumPy's arrays for batches."""
    if options.get("num_workers"):
        options.setdefault("multiprocessing_context", workers())
    return torch.utils.data.DataLoader(source, size, collate_fn=numpy_collate, **options)


def printed(code: str) -> list[str]:
    """What a fresh Python prints, line by line."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
