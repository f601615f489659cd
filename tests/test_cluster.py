"""What runs on a cluster hears that it has to stop, and times the parts that it is told."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
# Of the benchmarks; tests/examples/parallelism has those that train.
MANIFESTS = [
    path
    for path in sorted((ROOT / "cluster/kubernetes").glob("*.yaml"))
    if not path.stem.startswith("train-")
]
each_manifest = pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)


def job(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]


def pod(path: Path) -> dict[str, Any]:
    return job(path)["template"]["spec"]


@each_manifest
def test_a_job_that_is_stopped_has_the_time_to_keep_what_it_has(path: Path) -> None:
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    (needed,) = re.findall(r"terminate_timeout=(\d+)", noxfile)
    assert pod(path)["terminationGracePeriodSeconds"] > int(needed)


@each_manifest
def test_the_signal_to_stop_reaches_nox(path: Path) -> None:
    (container,) = pod(path)["containers"]
    program, *arguments = container["command"]
    assert program == "nox" or arguments[1].startswith("exec nox ")


@each_manifest
def test_results_name_the_image_that_they_are_from(path: Path) -> None:
    (container,) = pod(path)["containers"]
    environ = {each["name"]: each["value"] for each in container["env"]}
    assert environ["JAXVSTORCH_IMAGE"] == container["image"]


def test_there_are_as_many_indexes_as_shards() -> None:
    (path,) = [path for path in MANIFESTS if path.stem == "shards"]
    (container,) = pod(path)["containers"]
    (count,) = re.findall(r"--shard .*/(\d+)", container["command"][-1])
    assert job(path)["completions"] == job(path)["parallelism"] == int(count)


@pytest.fixture
def task(tmp_path: Path):
    """Runs the script for Slurm; returns what it tells the engine, which a command stands for."""
    (tmp_path / "podman").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "podman").chmod(0o755)

    def task(**environ: str) -> str:
        environ |= {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        command = ["bash", ROOT / "cluster/slurm/bench.sbatch"]
        return subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True
        ).stdout

    return task


@pytest.mark.parametrize(
    ("given", "image"),
    [({}, "jaxvstorch:cpu"), ({"IMAGE": "a@sha256:1"}, "a@sha256:1")],
    ids=["none", "digest"],
)
def test_results_of_slurm_name_their_image(task, given, image) -> None:
    said = task(SLURM_ARRAY_TASK_ID="2", **given)
    assert f"--env JAXVSTORCH_IMAGE={image} {image} nox -s bench -- --shard 2/5" in said


@pytest.mark.parametrize(("parts", "shard"), [({}, "3/5"), ({"PARTS": "8"}, "3/8")])
def test_one_part_can_be_repeated(task, parts, shard) -> None:
    """Of an array of one task, which Slurm calls the third of one."""
    array = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "1", "SLURM_ARRAY_TASK_MAX": "3"}
    assert task(**array, **parts).endswith(f"--shard {shard}\n")


def test_slurm_starts_as_many_tasks_as_there_are_parts() -> None:
    text = (ROOT / "cluster/slurm/bench.sbatch").read_text(encoding="utf-8")
    (tasks,) = re.findall(r"^#SBATCH --array=1-(\d+)$", text, re.MULTILINE)
    assert f"${{PARTS:-{tasks}}}" in text
