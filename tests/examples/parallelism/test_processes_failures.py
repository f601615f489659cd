"""What the other processes say when one of them fails, and when they are started wrongly."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from several import need

from jaxvstorch.examples.parallelism.processes import run_processes, running

ABORTED = -signal.SIGABRT
KILLED = -signal.SIGKILL
# Of PyTorch: after an error Python sometimes aborts at its end, when Gloo's threads still run.
FAILED = 1, ABORTED


@pytest.fixture(autouse=True)
def _installed(request) -> None:
    """The framework that stands in a test's name."""
    need("jax" if request.node.name.startswith("test_jax_") else "torch")


def test_jax_raises_another_error_from_a_function_that_has_run_before() -> None:
    survivor, _ = run_processes(Path(__file__).parent / "again_jax.py", 2)
    assert survivor.code == 0
    assert "\nJaxRuntimeError: UNKNOWN: Gloo all-reduce failed" in survivor.said
    assert "\nValueError: UNKNOWN: Gloo all-reduce failed" in survivor.said


def test_jax_aborts_processes_that_do_not_meet_the_dead_one() -> None:
    """By the heartbeats, which time out long before the half minute ends."""
    survivor, dead = run_processes("jax_ending", 2, "killed", "30")
    assert (survivor.code, dead.code) == (ABORTED, KILLED)
    assert "The following tasks are unhealthy (stopped sending heartbeats):\n1\n" in survivor.said
    assert "Terminating process because the JAX distributed service detected" in survivor.said


def test_jax_aborts_at_once_when_process_0_is_gone() -> None:
    """Without a heartbeat's time limit, since the coordinator's connection closes."""
    dead, survivor = run_processes("jax_ending", 2, "killed first", "30")
    assert (dead.code, survivor.code) == (KILLED, ABORTED)
    assert "Failed to send RPC to coordination service" in survivor.said
    assert "stopped sending heartbeats" not in survivor.said


def test_jax_hears_at_once_of_a_process_that_leaves_without_waiting() -> None:
    survivor, failed = run_processes("jax_ending", 2, "left")
    assert (survivor.code, failed.code) == (1, 1)
    assert "Gloo all-reduce failed" in survivor.said


def test_jax_aborts_when_two_processes_have_one_number() -> None:
    """The newer one replaces the older one; then all wait for the number that is missing."""
    ended = run_processes("jax_ending", 3, numbers=[0, 1, 1])
    assert [process.code for process in ended] == [ABORTED] * 3
    assert "ALREADY_EXISTS" in "".join(process.said for process in ended[1:])
    assert "DEADLINE_EXCEEDED" in ended[0].said


def test_jax_refuses_a_number_beyond_the_last() -> None:
    (process,) = run_processes("jax_ending", 2, numbers=[2])
    assert process.code == 1
    assert process.said.endswith("Got process_id=2, num_processes=2.")


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens at."""
    port = running.free_port()
    with socket.create_server(("127.0.0.1", port)):
        yield port


def test_jax_names_the_port_that_is_in_use_in_its_log_alone(taken) -> None:
    (process,) = run_processes("jax_ending", 2, numbers=[0], port=taken)
    assert process.code == -signal.SIGSEGV or "Failed to start RPC server" in process.said
    assert f"'127.0.0.1:{taken}'" in process.said


def test_jax_aborts_a_job_whose_port_another_job_is_given() -> None:
    """Both coordinators may listen at the port, and the system gives each connection to either.

    So it is chance whether a process of the second job comes to the first one's, and we try again.
    """
    port = running.free_port()
    first = []
    try:
        for number in "01":
            command = [sys.executable, "-u", "-m", f"{running.__package__}.jax_ending"]
            command += [f"127.0.0.1:{port}", "2", number, "busy", "300"]
            first.append(running.start(command, running.variables(port, 2, int(number))))
        wait_for(first, "sum: 2.0")
        for _ in range(12):
            run_processes("jax_ending", 2, "left", port=port, SECONDS_TO_COME="5")
            if any(process.poll() is not None for process, _ in first):
                break
        ended = running.wait(first, 0)
    finally:
        running.kill(process for process, _ in first)
    assert ABORTED in [process.code for process in ended]
    assert "with a different incarnation" in "".join(process.said for process in ended)


def wait_for(started, text: str) -> None:
    """Until each of the processes has printed a text."""
    for process, said in started:
        while text not in os.pread(said.fileno(), 1_000, 0).decode():
            assert process.poll() is None
            time.sleep(0.05)


def test_pytorch_raises_an_error_when_a_busy_process_is_late() -> None:
    waiting, busy = run_processes("torch_ending", 2, "busy")
    assert (waiting.code, busy.code) == (1, 1)
    assert "Timed out waiting 5000ms for recv operation to complete" in waiting.said


def test_pytorch_raises_an_error_when_two_processes_have_one_number() -> None:
    ended = run_processes("torch_ending", 3, numbers=[0, 1, 1])
    assert all(process.code in FAILED for process in ended)
    assert "DistStoreError: wait timeout after 5000ms" in ended[0].said


def test_pytorch_refuses_a_number_beyond_the_last() -> None:
    """Only there: the process that comes waits for its time limit."""
    waiting, beyond = run_processes("torch_ending", 2, numbers=[0, 2])
    assert waiting.code in FAILED
    assert beyond.code in FAILED
    assert "rank < size. 2 vs 2" in beyond.said
    assert "DistStoreError: wait timeout after 5000ms" in waiting.said


@pytest.mark.parametrize("name", ["nowhere", "localhost"])
def test_jax_needs_a_host_name_that_resolves(name) -> None:
    """In a namespace of its own, without a network."""
    isolated = ["unshare", "--map-root-user", "--net", "--uts", "sh", "-c"]
    prepare = f"hostname {name} && ip link set lo up"
    try:
        subprocess.run([*isolated, prepare], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system has no namespaces for us")
    program = f"python -u -m {running.__package__}.jax_ending 127.0.0.1:9911 1 0 left"
    command = [*isolated, f"{prepare} && exec {program}"]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process, said = running.start(command, running.variables(9911, 1, 0) | {"PATH": path})
    (ended,) = running.wait([(process, said)], 0)
    assert ("gloo/transport/tcp/device.cc" in ended.said) == (name == "nowhere"), ended
    assert ("sum: 1.0" in ended.said) == (name == "localhost"), ended


def test_pytorch_names_the_port_that_is_in_use(taken) -> None:
    (process,) = run_processes("torch_ending", 2, numbers=[0], port=taken)
    assert process.code in FAILED
    assert f"port: {taken}" in process.said
    assert "EADDRINUSE, message: address already in use" in process.said


def test_torchrun_ends_the_others_and_names_the_first_that_failed() -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    command += ["--master-addr=127.0.0.1", f"--master-port={running.free_port()}"]
    command += ["-m", f"{running.__package__}.torch_ending", "raised"]
    process, said = running.start(command, running.variables(0, 2, 0))
    (ended,) = running.wait([(process, said)], 0)
    assert ended.code == 1
    assert "[rank1]: RuntimeError: this process went wrong" in ended.said
    _, _, cause = ended.said.partition("Root Cause (first observed failure):")
    assert "rank      : 1 (local_rank: 1)" in cause
