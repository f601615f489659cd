"""The C++ compiler that Inductor calls."""

import os
import stat
import subprocess
import sys
from importlib.util import find_spec

import pytest
from needs import needs_compiler

from jaxvstorch._doctor import compiler

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


@needs_compiler
def test_a_compiler_that_works() -> None:
    (found,) = compiler.check(os.environ, needed=True)
    assert found.problem is None


def test_no_compiler() -> None:
    (found,) = compiler.check({"PATH": "/nowhere"}, needed=True)
    assert found.problem == "torch.compile cannot compile for the CPU without one"
    assert found.cure.startswith("apt install g++")
    (found,) = compiler.check({"PATH": "/nowhere"}, needed=False)
    assert found.problem is None
    (found,) = compiler.check({"PATH": os.defpath, "CXX": "no-such-c++"}, needed=True)
    assert found.value == "CXX=no-such-c++, not found"


@pytest.mark.parametrize(
    ("script", "problem", "cure"),
    [
        (
            "echo 'p.cpp:2: fatal error: Python.h: No such file' >&2; exit 1",
            "Python.h",
            "python3-dev",
        ),
        ("exit 4", "exit status 4", "g++"),
        ("exit 0", "does not compile and run", "g++"),
    ],
)
def test_a_compiler_that_does_not_work(tmp_path, script, problem, cure) -> None:
    fake = tmp_path / "g++"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    (found,) = compiler.check({"PATH": f"{tmp_path}{os.pathsep}{os.defpath}"}, needed=True)
    assert found.value == str(fake)
    assert problem in found.problem
    assert cure in found.cure


@pytest.mark.matrix
@needs_torch
def test_the_compiler_is_the_one_that_inductor_calls() -> None:
    code = "from torch._inductor.cpp_builder import get_cpp_compiler as g; print(g())"
    for environ in ({}, {"CXX": "c++"}):
        merged = {k: v for k, v in os.environ.items() if k != "CXX"} | environ
        expected = compiler.find(merged)
        if expected is None:
            pytest.skip("there is no C++ compiler here")
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, env=merged)
        assert done.stdout.strip() == os.path.basename(expected)
