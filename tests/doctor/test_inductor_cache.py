"""Inductor's cache: files that are incomplete, and what torch.compile does with them."""

import os
import pickle
import subprocess
import sys

import pytest
from doctor_checks import named
from needs import needs_compiler

from jaxvstorch._doctor import inductor_cache

PROGRAM = """
import torch
print(torch.compile(lambda x: torch.sin(x) + 1)(torch.zeros(9)).sum().item())
"""


def check(folder):
    found = inductor_cache.check({"TORCHINDUCTOR_CACHE_DIR": str(folder)}, needed=True)
    return named(found, "Inductor's files")


def compile_with(folder) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(folder)}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environ, capture_output=True,
                          text=True)  # fmt: skip


@pytest.mark.matrix
@needs_compiler
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a cut library is not noticed")
def test_torch_compile_fails_with_what_the_doctor_names(tmp_path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    assert compile_with(tmp_path).stdout == "9.0\n"
    assert check(tmp_path).problem is None
    kernel = max(tmp_path.rglob("*.so"), key=lambda path: path.stat().st_mtime)
    whole = kernel.read_bytes()
    kernel.write_bytes(whole[:-100])
    os.utime(kernel, (1, 1))
    assert str(kernel) in check(tmp_path).problem
    kernel.write_bytes(b"")
    os.utime(kernel, (1, 1))
    found = check(tmp_path)
    assert found.problem.startswith(f"incomplete: {kernel}; torch.compile fails")
    assert found.cure.startswith(f"rm -r {tmp_path}")
    failed = compile_with(tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert str(kernel) in failed.stderr


@pytest.mark.parametrize(
    ("name", "content", "whole"),
    [
        ("ab/x.py", b"x = 1", True),
        ("ab/x.py", b"", False),
        ("ab/x.py", b"def f(", False),
        ("ab/x.py", b"\0\0\0", False),
        ("ab/x.py", b"'\\d'", True),  # Python warns of it
        ("ab/x.main.so", b"", False),
        ("fxgraph/ab/x/y", pickle.dumps([1]), True),
        ("fxgraph/ab/x/y", pickle.dumps([1])[:-1], False),
        ("aotautograd/x/y", b"", False),
        ("aotautograd/x/y", b"\xff\x00garbage", False),
        ("locks/x.lock", b"", True),
        ("ab/x.cpp", b"", True),  # made anew from the graph
    ],
)
def test_what_is_not_whole_is_named(tmp_path, name, content, whole) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert check(tmp_path).problem is None  # a torch.compile may be writing it
    assert (check(tmp_path).note is None) is whole
    os.utime(path, (1, 1))
    assert (check(tmp_path).problem is None) is whole
    if not whole:
        assert str(path) in check(tmp_path).problem


def test_only_the_newest_of_many_are_read(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(inductor_cache, "_MOST", 1)
    for number, text in enumerate(("", "x = 1")):
        (tmp_path / f"{number}.py").write_text(text)
        os.utime(tmp_path / f"{number}.py", (number, number))
    found = check(tmp_path)
    assert (found.value, found.problem) == (f"2 files in {tmp_path}, the newest 1 read", None)


def test_no_cache_is_no_finding(tmp_path) -> None:
    environ = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "none")}
    assert inductor_cache.check(environ, needed=True) == []
    assert inductor_cache.check({"TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}, needed=False) == []
