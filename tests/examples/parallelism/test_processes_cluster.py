"""What starts the processes on a cluster, run here with the scheduler's variables set by hand."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from several import need

from jaxvstorch.examples.parallelism.processes import Ended, running

CLUSTER = Path(__file__).parents[3] / "cluster"
SLURM = CLUSTER / "slurm/train.sbatch"
# Stands for srun: it leaves its options, and starts two tasks on this machine or shows the command.
SRUN = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
if [[ $1 == torchrun ]]; then echo "$@"; exit; fi
for task in 0 1; do
    SLURM_NTASKS=2 SLURM_PROCID=$task SLURM_LOCALID=$task "$@" &
done
wait
"""


def command(path: Path, environ: dict[str, str]) -> Ended:
    process, said = running.start(["bash", str(path)], environ)
    try:
        (ended,) = running.wait([(process, said)], 0)
    finally:
        running.kill([process])
    return ended


@pytest.fixture
def slurm(tmp_path) -> dict[str, str]:
    """What Slurm sets, with its commands."""
    commands = {"srun": SRUN, "scontrol": "#!/bin/sh\nprintf 'node7\\nnode8\\n'\n"}
    for name, text in commands.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    port = str(running.free_port())
    return {
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SLURM_JOB_ID": "4711",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_JOB_NODELIST": "node[7-8]",
        "SLURM_NTASKS_PER_NODE": "2",
        "SLURM_STEP_NODELIST": "localhost",
        "JAX_COORDINATOR_PORT": port,
        "JAX_COORDINATOR_BIND_ADDRESS": f"127.0.0.1:{port}",
    }


def test_jax_asks_slurm_for_all_that_it_needs(slurm) -> None:
    need("jax")
    ended = command(SLURM, slurm)
    assert ended.code == 0, ended.said
    for process in (0, 1):
        assert f"process {process}, data: loss 1.1033" in ended.said


@pytest.mark.parametrize(
    ("nodes", "first"), [("node7", "node7"), ("node[007-009],b1", "node007"), ("a1,b2", "a1")]
)
def test_jax_takes_the_first_node_and_a_port_of_the_job(nodes, first) -> None:
    need("jax")
    code = """
import jax._src.clusters.slurm_cluster as slurm
print(slurm.SlurmCluster.get_coordinator_address(None, None))
"""
    environ = os.environ | {"SLURM_JOB_ID": "4711", "SLURM_STEP_NODELIST": nodes}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True)
    assert done.stdout.strip() == f"{first}:{61440 + 4711 % 4096}"


def test_slurm_starts_one_torchrun_on_each_node(slurm) -> None:
    said = command(SLURM, slurm | {"FRAMEWORK": "torch"}).said
    assert said.startswith("torchrun --nnodes=2 --nproc-per-node=2 --rdzv-backend=c10d")
    assert "--rdzv-id=4711 --rdzv-endpoint=node7:29500 -m jaxvstorch" in said


def test_slurm_needs_a_framework(slurm) -> None:
    ended = command(SLURM, slurm | {"FRAMEWORK": "numpy"})
    assert (ended.code, ended.said) == (2, "FRAMEWORK must be jax or torch, not numpy")


def manifest(framework: str) -> tuple[dict[str, Any], dict[str, Any]]:
    text = (CLUSTER / f"kubernetes/train-{framework}.yaml").read_text(encoding="utf-8")
    service, job = yaml.safe_load_all(text)
    return service, job


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_pods_of_the_job_find_each_other_by_the_service(framework) -> None:
    service, job = manifest(framework)
    name = job["metadata"]["name"]
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": name}
    assert service["spec"]["clusterIP"] == "None"
    pod = job["spec"]["template"]["spec"]
    assert pod["subdomain"] == service["metadata"]["name"]
    assert f"{name}-0.{pod['subdomain']}" in pod["containers"][0]["command"][-1]
    assert job["spec"]["completions"] == job["spec"]["parallelism"] == 2


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_the_command_of_two_pods_takes_the_step(framework) -> None:
    need(framework)
    _, job = manifest(framework)
    shell, option, text = job["spec"]["template"]["spec"]["containers"][0]["command"]
    name, port = job["metadata"]["name"], running.free_port()
    here = text.replace(f"{name}-0.{name}", "127.0.0.1")
    here = here.replace(":9911 ", f":{port} ").replace("port=29500", f"port={port}")
    assert here.count(str(port)) == 1
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",  # JAX warns of a package that is missing then
        "PYTHONWARNINGS": "error::UserWarning",
    }
    started = []
    try:
        for index in "01":
            variables = running.variables(port, 2, int(index)) | {"JOB_COMPLETION_INDEX": index}
            started.append(running.start([shell, option, here], variables | environ))
        ended = running.wait(started, 0)
    finally:
        running.kill(process for process, _ in started)
    assert [process.code for process in ended] == [0, 0], ended
    for index, process in enumerate(ended):
        assert f"process {index}, " in process.said
        assert "loss 1.1033" in process.said
