"""The C++ compiler, which torch.compile calls for code that runs on the CPU."""

import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jaxvstorch._doctor import temporary
from jaxvstorch._doctor.check import Check
from jaxvstorch._frameworks.limits import HANGING

# What torch.compile's C++ needs: Python's header, OpenMP, and that the compiled program runs.
_PROGRAM = """
#include <Python.h>
#include <omp.h>
int main() { return omp_get_max_threads() < 1; }
"""
_INSTALL = "apt install g++ (Fedora: dnf install gcc-c++), or set CXX to a compiler"
_HEADERS = "apt install python3-dev (Fedora: dnf install python3-devel)"


def find(environ: Mapping[str, str]) -> str | None:
    """The compiler that torch.compile would call: ``CXX``, or else ``g++``.

    It is what ``torch._inductor.config.cpp.cxx`` says on Linux.
    """
    return shutil.which(environ.get("CXX", "g++"), path=environ.get("PATH"))


def check(environ: Mapping[str, str], needed: bool) -> list[Check]:
    """Whether there is a compiler, and whether what it compiles runs.

    Args:
        environ: environment variables.
        needed: whether PyTorch is installed, which calls it.
    """
    compiler = find(environ)
    if compiler is None:
        value = f"CXX={environ['CXX']}, not found" if "CXX" in environ else "not found"
        if not needed:
            return [Check("compiler", "C++ compiler", f"{value}, and not needed without PyTorch")]
        problem = "torch.compile cannot compile for the CPU without one"
        return [Check("compiler", "C++ compiler", value, problem, _INSTALL)]
    failure = _try(compiler, environ)
    if failure is None or not needed:
        return [Check("compiler", "C++ compiler", compiler)]
    cure = _HEADERS if "Python.h" in failure else _INSTALL
    return [Check("compiler", "C++ compiler", compiler, failure, cure)]


def _try(compiler: str, environ: Mapping[str, str]) -> str | None:
    """Compile a small program and run it; return what went wrong, if anything did."""
    temporary_folder = temporary.usable(environ)
    if temporary_folder is None:  # the check of TMPDIR reports this problem
        return None
    with tempfile.TemporaryDirectory(dir=temporary_folder) as folder:
        source, program = f"{folder}/program.cpp", f"{folder}/program"
        Path(source).write_text(_PROGRAM)
        include = f"-I{sysconfig.get_path('include')}"
        command = [compiler, "-std=c++17", "-fopenmp", include, source, "-o", program]
        for step in (command, [program]):
            try:
                done = subprocess.run(
                    step,
                    capture_output=True,
                    text=True,
                    timeout=HANGING,
                    env={**environ, "TMPDIR": folder},
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                return f"a small test program does not compile and run: {error}"
            if done.returncode:
                errors = [line for line in done.stderr.splitlines() if "error" in line]
                why = errors[0] if errors else f"exit status {done.returncode}"
                return f"a small test program does not compile and run: {why}"
    return None
