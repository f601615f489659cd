"""What JAX compiled for one of two devices; each test needs processes of its own."""

import os
import subprocess
import sys

import pytest

from jaxvstorch.examples.aot.caches import TWO_DEVICES

pytest.importorskip("jax", reason="JAX is not installed")


def run(code: str, **settings: str) -> str:
    """What the code prints in a process with CPU devices alone."""
    settings = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""} | settings
    command = [sys.executable, "-c", f"import jax, numpy as np, pickle\n{code}"]
    return subprocess.run(command, stdout=-1, text=True, check=True, env=settings).stdout


def test_an_array_that_was_put_on_another_device_is_refused() -> None:
    printed = run(
        "first, second = jax.devices()\n"
        "x = np.ones(3, np.float32)\n"
        "double = jax.jit(lambda x: 2 * x)\n"
        "program = double.lower(jax.device_put(x, second)).compile()\n"
        "assert program(x).devices() == {second}\n"
        "assert double(jax.device_put(x, first)).devices() == {first}\n"
        "try:\n"
        "    program(jax.device_put(x, first))\n"
        "except ValueError as error:\n"
        "    print(error)\n",
        **TWO_DEVICES,
    )
    assert printed.startswith("Computation was compiled for input shardings that disagree")


def test_an_executable_needs_to_be_told_its_device_where_there_are_two(tmp_path) -> None:
    path = str(tmp_path / "double")
    start = "from jax.experimental import serialize_executable as se\nx = np.ones(3, np.float32)\n"
    run(
        f"{start}compiled = jax.jit(lambda x: 2 * x).lower(x).compile()\n"
        f"pickle.dump(se.serialize(compiled), open({path!r}, 'wb'))\n"
    )
    printed = run(
        f"{start}written = pickle.load(open({path!r}, 'rb'))\n"
        "first, second = jax.devices()\n"
        "for options in ({}, {'execution_devices': [second]}, {'execution_devices': [first]}):\n"
        "    try:\n"
        "        print(*se.deserialize_and_load(*written, **options)(x).devices())\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__)\n",
        **TWO_DEVICES,
    )
    assert printed.split() == ["JaxRuntimeError", "KeyError", "cpu:0"]
