"""Modules to export, and processes that read a file without the package."""

import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

# torch 2.13 warns of what it does itself when it copies the trees of an exported program.
OWN = r"ignore:`isinstance\(treespec, LeafSpec\)` is deprecated:FutureWarning"
ROWS = np.arange(16, dtype=np.float32).reshape(4, 4)


def module(torch: ModuleType, function: Callable[..., Any]) -> Any:
    """A module whose forward is the function."""

    class Module(torch.nn.Module):
        def forward(self, *arguments):
            return function(*arguments)

    return Module()


def exported_by_torch(torch, function, *arguments, shapes=None) -> Any:
    """The exported program of a function; ``shapes`` has one entry per argument."""
    # Of a forward that takes *arguments, the shapes are those of one tuple.
    return torch.export.export(
        module(torch, function), arguments, dynamic_shapes=None if shapes is None else (shapes,)
    )


def without_package(code: str, **settings: str) -> str:
    """Run code in a process that cannot import the package; return what it prints."""
    guard = "import sys\nsys.modules['jaxvstorch'] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", guard + code], stdout=subprocess.PIPE, text=True, check=True,
        env=settings or None,
    )  # fmt: skip
    return done.stdout.strip()
