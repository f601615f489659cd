"""Has Inductor write Triton kernels for an NVIDIA H100 that is not here.

``torch.compile`` runs on fake tensors, which have a device and hold no numbers. An interface that
replaces PyTorch's own answers its questions about the device, and a driver names an H100 to Triton.
Inductor hands its code to a hook that PyTorch's tests use, and the call ends there.
"""

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch

from jaxvstorch._doctor import compiler
from jaxvstorch._frameworks.containers import mapped
from jaxvstorch._hardware.inductor_code import Generated, generated
from jaxvstorch._hardware.program import Program
from tools.compile_hardware import h100, private

# Inductor would compute constants on the GPU, and time there whether to pad a matrix product.
OPTIONS: dict[str, Any] = {"joint_graph_constant_folding": False, "shape_padding": False}
GUARD = Path(__file__).with_name("device_guard.cpp")


class _WrittenError(BaseException):
    """Ends a call once its code is written."""


def compile(program: Program) -> Generated:
    """What Inductor writes for a program on an H100.

    Raises:
        RuntimeError: Inductor wrote nothing.
    """
    prepare()
    pair = program.registered()
    arguments = pair.to_framework("torch", program.arguments())
    written: list[Generated] = []

    def keep(code: str) -> None:
        written.append(generated(code, private.virtualized.graph.count_bytes()[0]))
        raise _WrittenError

    torch.compiler.reset()
    with _pretending(keep), private.FakeTensorMode(allow_non_fake_inputs=True):
        try:
            compiled = torch.compile(pair.half("torch"), fullgraph=True, options=OPTIONS)
            compiled(*(mapped(_on_h100, argument) for argument in arguments))
        except _WrittenError:
            return written[0]
    raise RuntimeError(f"Inductor wrote nothing for {program}")


@cache
def prepare() -> None:
    """Make PyTorch and Triton see an H100, for the rest of the process.

    Raises:
        RuntimeError: there is no C++ compiler.
    """
    _load_guard()
    private.get_interface("cuda")  # it registers PyTorch's own, which the next lines replace
    for device in ("cuda", "cuda:0"):
        private.register_interface(device, h100.interface(private.CudaInterface))
    from triton.runtime import driver

    driver.set_active(h100.Driver())


@contextmanager
def _pretending(keep: Any) -> Iterator[None]:
    """Let Inductor find an H100 where it asks ``torch.cuda``, and hand over its code."""
    with (
        patch.object(torch.cuda, "get_device_properties", lambda _=None: h100.PROPERTIES),
        patch.object(torch.cuda, "get_device_capability", lambda _=None: h100.CAPABILITY),
        patch.object(private.GraphLowering, private.SAVE_OUTPUT_CODE, keep),
    ):
        yield


def _on_h100(value: Any) -> Any:
    """A fake tensor on the H100 for each tensor."""
    if isinstance(value, torch.Tensor):
        return torch.empty(value.shape, dtype=value.dtype, device="cuda")
    return value


def _load_guard() -> None:
    """Compile the device guard that PyTorch's CPU build lacks, and load it."""
    from torch.utils.cpp_extension import include_paths, library_paths

    cxx = compiler.find(os.environ)
    if cxx is None:
        raise RuntimeError("compiling for an H100 by Inductor needs a C++ compiler")
    paths = [f"-I{path}" for path in include_paths()] + [f"-L{path}" for path in library_paths()]
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/device_guard.so"
        flags = ["-std=c++20", "-shared", "-fPIC", str(GUARD), *paths, "-lc10", "-o", library]
        subprocess.run([cxx, *flags], check=True)
        ctypes.CDLL(library)
