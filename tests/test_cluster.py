"""What runs on a cluster hears that it has to stop, and times the parts that it is told."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
MANIFESTS = sorted((ROOT / "cluster/kubernetes").glob("*.yaml"))
each_manifest = pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)


def job(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]


def pod(path: Path) -> dict[str, Any]:
    return job(path)["template"]["spec"]


def test_there_is_a_manifest_for_each_kind_of_node() -> None:
    assert [path.stem for path in MANIFESTS] == ["cpu", "gpu", "shards", "tpu"]


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


def test_there_are_as_many_indexes_as_shards() -> None:
    (path,) = [path for path in MANIFESTS if path.stem == "shards"]
    (container,) = pod(path)["containers"]
    (count,) = re.findall(r"--shard .*/(\d+)", container["command"][-1])
    assert job(path)["completions"] == job(path)["parallelism"] == int(count)
