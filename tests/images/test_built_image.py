"""The image for the CPU, as ``nox -s docker -- cpu`` built it, on the engine of this machine."""

import json
import re
import subprocess

import pytest

from benchmarks import origin
from tools import engine, images, pip_settings

pytestmark = pytest.mark.built_image
IMAGE = "jaxvstorch:cpu"


@pytest.fixture(scope="module")
def docker():
    """Have the engine do something; returns what it prints."""
    client = engine.find().command

    def docker(*arguments: str) -> str:
        done = subprocess.run([client, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return docker


def test_it_says_what_it_is_and_has_the_documented_size(docker) -> None:
    (facts,) = json.loads(docker("image", "inspect", IMAGE))
    assert facts["Config"]["User"] == "1000"
    labels = facts["Config"]["Labels"]
    assert labels["org.opencontainers.image.revision"] == origin.commit(images.ROOT)
    assert facts["Size"] < 2.5e9


def test_nothing_of_the_builder_is_in_it(docker) -> None:
    settings = pip_settings.read()
    text = f"{pip_settings.conf('cpu', settings)} {settings.get('cert', '')}"
    history = docker("history", "--no-trunc", IMAGE)
    assert [place for place in re.findall(r"(?:https?:/)?/\S+", text) if place in history] == []
    # No layer of the image itself removes a file of an earlier one.
    kept = "-name pip.conf -o -path /jaxvstorch/*.whl -o -path /run/secrets/*"
    found = docker("run", "--rm", "--user", "0", IMAGE, "find", "/", "-xdev", *kept.split())
    assert found == ""


def test_its_compilers_work_for_any_user_without_a_network(docker) -> None:
    container = ["run", "--rm", "--init", "--network", "none", "--user", "12345:23456", IMAGE]
    done = docker(*container, "pytest", "tests/test_pairs.py", "-m", "sentinel", "-n", "auto")
    assert re.search(r"\d passed", done)
    assert "skipped" not in done
