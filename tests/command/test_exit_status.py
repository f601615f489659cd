"""Commands that are stopped as they start, or whose output goes nowhere: a status, no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PUBLISHED = str(next((ROOT / "benchmarks" / "published").glob("*.json")))
COMMANDS = [["jaxvstorch", "list"], ["jaxvstorch", "show", "branching"], ["jaxvstorch", "--help"],
            ["benchmarks", "compare", PUBLISHED, PUBLISHED]]  # fmt: skip


def run(*arguments: str, folder: Path = ROOT, **options) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environ["PYTHONPATH"] = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run([sys.executable, "-m", *arguments], text=True, stderr=subprocess.PIPE,
                          env=environ, cwd=ROOT, **options)  # fmt: skip


def skip_without_pytest_benchmark(arguments) -> None:
    if arguments[0] == "benchmarks":
        pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed")


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_a_pipe_that_nobody_reads(arguments) -> None:
    skip_without_pytest_benchmark(arguments)
    read, write = os.pipe()
    os.close(read)
    done = run(*arguments, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_a_full_disk(arguments) -> None:
    skip_without_pytest_benchmark(arguments)
    with Path("/dev/full").open("w") as full:
        done = run(*arguments, stdout=full)
    name = {"jaxvstorch": "jaxvstorch", "benchmarks": "python -m benchmarks"}[arguments[0]]
    said = f"{name}: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: " ".join(words[:2]))
def test_ctrl_c_while_it_imports(tmp_path, arguments) -> None:
    """Ctrl-C comes as ``rich`` is imported, which each command needs before it does anything."""
    skip_without_pytest_benchmark(arguments)
    (tmp_path / "rich").mkdir()
    (tmp_path / "rich" / "__init__.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    )
    # What a shell runs in the background is told to ignore Ctrl-C, and so are its children.
    code = (
        "import runpy, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.argv = {arguments!r}\n"
        "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)\n"
    )
    (tmp_path / "heeding.py").write_text(code)
    done = run("heeding", folder=tmp_path, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_is_ignored_where_the_shell_asks_for_it(tmp_path) -> None:
    (tmp_path / "ignoring.py").write_text(
        "import os, runpy, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from jaxvstorch._command import exit_status\n"
        "exit_status.stop_at_once()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(exit_status.run('name', lambda: os.kill(os.getpid(), signal.SIGINT)))\n"
    )
    assert run("ignoring", folder=tmp_path, stdout=subprocess.PIPE).returncode == 0


def test_an_error_that_is_not_the_output_s_is_not_hidden(tmp_path) -> None:
    (tmp_path / "failing.py").write_text(
        "from jaxvstorch._command import exit_status\n"
        "exit_status.run('name', lambda: open('/nowhere/file'))\n"
    )
    done = run("failing", folder=tmp_path, stdout=subprocess.PIPE)
    assert "FileNotFoundError" in done.stderr


def test_ctrl_c_while_a_framework_is_imported(tmp_path) -> None:
    """Where an extension module is the one that imports, it would be told as an ``ImportError``."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text(
        "import os, signal\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt:\n    raise ImportError('it did not come')\n"
    )
    (tmp_path / "importing.py").write_text(
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from jaxvstorch._command import exit_status\n"
        "exit_status.stop_at_once()\n"
        "sys.exit(exit_status.run('name', lambda: __import__('numpy')))\n"
    )
    done = run("importing", folder=tmp_path, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_were_closed_before(closed) -> None:
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    code = (
        "import sys; from jaxvstorch._command import exit_status; sys.exit(exit_status.run('name', "
        "lambda: print(sys.stdout.fileno(), sys.stderr.fileno(), file=sys.stderr)))"
    )
    command = f'"{sys.executable}" -c "{code}" {closed}'
    done = subprocess.run(command, shell=True, env=environ, check=False)
    assert done.returncode == 0
