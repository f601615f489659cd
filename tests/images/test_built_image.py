"""The image for the CPU, as ``nox -s docker -- cpu`` built it, on the engine of this machine."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import engine
import images
import pip_settings
import pytest
from saved_image import files

from benchmarks import join, origin
from benchmarks.report.files import read

pytestmark = pytest.mark.built_image
IMAGE = "jaxvstorch:cpu"


@pytest.fixture(scope="module")
def client() -> str:
    return engine.find().command


@pytest.fixture(scope="module")
def facts(client) -> dict:
    done = subprocess.run(
        [client, "image", "inspect", IMAGE], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)[0]


@pytest.fixture(scope="module")
def saved(client, facts) -> Iterator[Path]:
    """The image as the files that a registry would get."""
    folder = Path(os.environ.get("TMPDIR", "/var/tmp"))
    path = folder / f"jaxvstorch-{os.getpid()}.tar"
    subprocess.run([client, "save", "--output", path, IMAGE], check=True)
    yield path
    path.unlink()


def container(client: str, *arguments: str, **options) -> subprocess.CompletedProcess:
    command = [client, "run", "--rm", "--init", "--network", "none", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_it_runs_as_nobody_special_and_says_what_it_is(facts) -> None:
    labels = facts["Config"]["Labels"]
    assert facts["Config"]["User"] == "1000"
    assert labels["org.opencontainers.image.title"] == "jaxvstorch (cpu)"
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert labels["org.opencontainers.image.revision"] == origin.commit(images.ROOT)
    assert not any(each.startswith("LD_LIBRARY_PATH") for each in facts["Config"]["Env"])


def test_it_is_as_small_as_is_said(facts) -> None:
    assert facts["Size"] < 2.5e9


def test_nothing_of_the_builder_is_in_a_layer(saved) -> None:
    settings = pip_settings.read()
    text = f"{pip_settings.conf('cpu', settings)} {settings.get('cert', '')}"
    places = {each.encode() for each in re.findall(r"(?:https?:/)?/\S+", text)}
    names, told = [], []
    for name, data in files(saved):
        # Debian and virtualenv bring wheels of their own, for making environments.
        if re.search(r"(^|/)(pip\.conf|\.netrc|\.docker)$|^run/secrets|wheelhouse/.*\.whl$", name):
            names.append(name)
        # Debian and certifi name certificates' folders too, in what they brought themselves.
        if not re.match(r"(usr|etc|var|opt/venv)/", name):
            told += [(name, place) for place in places if place in data]
    assert names == []
    assert told == []


def test_it_prints_what_doctor_finds(client) -> None:
    done = container(client, IMAGE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2.13.0+cpu" in done.stdout


def test_any_user_gets_results_that_are_theirs(client, tmp_path) -> None:
    tmp_path.chmod(0o777)
    done = container(
        client, "--user", "12345:23456", "--volume", f"{tmp_path}:/jaxvstorch/bench-out", IMAGE,
        "nox", "-s", "bench", "--", "--quick", "-k", "select_where",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = tmp_path.glob("*.json")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)
    assert not read(path).partial


def test_shards_in_containers_of_their_own_make_one_file(client, tmp_path) -> None:
    def shard(number: str) -> subprocess.CompletedProcess:
        return container(
            client, "--user", f"{os.getuid()}:{os.getgid()}",
            "--volume", f"{tmp_path}:/jaxvstorch/bench-out", IMAGE,
            "nox", "-s", "bench", "--", "--quick", "--shard", number,
            "-k", "branching and not cond and not clock",
        )  # fmt: skip

    with ThreadPoolExecutor() as pool:
        for done in pool.map(shard, ["1/2", "2/2"]):
            assert done.returncode == 0, done.stdout + done.stderr
    merged = join.join(sorted(tmp_path.glob("*.json")), False)
    whole = shard("1/1")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    (path,) = tmp_path.glob("*shard-1-of-1.json")
    assert cases(merged) == cases(read(path))
    assert cases(merged)


def cases(results) -> list[tuple]:
    return sorted((each.topic, each.name, each.size, each.framework, each.mode)
                  for each in results.timings)  # fmt: skip
