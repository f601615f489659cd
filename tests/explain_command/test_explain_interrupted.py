"""``explain`` is stopped from outside, and leaves nothing behind."""

import signal
import subprocess
import sys

from running import run


def test_ctrl_c_is_one_line(with_jax) -> None:
    result = run("model_jax.py:interrupted", "--arg", "f32[3]")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "jaxvstorch: stopped.\n"


# What a shell runs in the background is told to ignore the signal, and so are its children.
HEEDING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("jaxvstorch", run_name="__main__")
"""


def test_ctrl_c_from_outside(with_jax) -> None:
    command = [sys.executable, "-c", HEEDING, "explain", "model_jax.py:hangs", "--arg", "f32[3]"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "jaxvstorch: stopped.\n"
    assert process.returncode == 130


def test_nothing_is_left_behind(with_jax) -> None:
    before = (list(sys.path), sys.stdout, sys.gettrace())
    run("model_jax.py:clean", "--arg", "f32[3]")
    run("model_jax.py:fails", "--arg", "f32[3]")
    run("model_jax.py:interrupted", "--arg", "f32[3]")
    assert (list(sys.path), sys.stdout, sys.gettrace()) == before
