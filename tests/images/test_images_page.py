"""What the page on images says of versions and drivers is what is pinned and checked."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import engine
import pip_settings
import pytest
from older_torch import KNOWN

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/reference/images.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))


@pytest.mark.parametrize("flavour", ["cpu", "cuda12", "cuda13", "tpu"])
def test_the_versions_are_those_that_are_pinned(flavour) -> None:
    text = (ROOT / f"docker/requirements/{flavour}.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^(jax|torch)===?([\d.]+)", text, re.MULTILINE))
    jax, torch, *_ = ROWS[flavour].split(" | ")
    cuda = re.fullmatch(r"cuda(\d+)", flavour)
    assert jax == pinned["jax"]
    assert torch == f"{pinned['torch']}, {f'CUDA {cuda[1]}' if cuda else 'CPU'}"


@pytest.mark.parametrize("flavour", ["cuda12", "cuda13"])
def test_the_driver_is_the_one_that_is_checked(flavour) -> None:
    assert f"NVIDIA driver {engine.OLDEST_DRIVER[flavour]} or newer" in ROWS[flavour]


def test_the_parts_of_an_image_add_up_to_its_size() -> None:
    (head,) = re.findall(r"^\| +\| (`cpu`.*) \|$", PAGE, re.MULTILINE)
    flavours = re.findall(r"`(\w+)`", head)
    rows = PAGE[PAGE.index(head) :].split("\n\n")[0].splitlines()[2:]
    parts = [[float(cell.strip() or 0) for cell in row.split("|")[2:-1]] for row in rows]
    for flavour, column in zip(flavours, zip(*parts, strict=True), strict=True):
        size = re.search(r"([\d.]+) GB", ROWS[flavour])
        assert size
        assert sum(column) == pytest.approx(float(size[1]), abs=0.03)


def test_as_many_tests_fail_on_the_older_pytorch_as_is_said() -> None:
    assert "so did all but six, which fail on PyTorch 2.10" in PAGE
    assert len(KNOWN["2.10"]) == 6


def test_the_commands_by_hand_build_what_nox_builds(tmp_path) -> None:
    """A command that stands for docker keeps what it is told, and the file that is a secret."""
    (block,) = re.findall(r"^## By hand\n.*?^```\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    docker = tmp_path / "bin/docker"
    docker.parent.mkdir()
    docker.write_text(
        '#!/bin/bash\nprintf "%q " "$@" >>"$0.said"; echo >>"$0.said"\n'
        'for each in "$@"; do case $each in id=pip,src=*) cp "${each#*src=}" "$0.pip"; esac; done\n'
    )
    docker.chmod(0o755)
    address = "https://cpu.invalid/simple"
    environ = {
        "PATH": f"{docker.parent}:{os.environ['PATH']}",
        "PIP_EXTRA_INDEX_URL": address,
        "TMPDIR": str(tmp_path),
    }
    subprocess.run(["bash", "-eu", "-c", block], cwd=tmp_path, env=environ, check=True)
    settings = (docker.parent / "docker.pip").read_text(encoding="utf-8")
    assert settings == pip_settings.conf("cpu", {"extra-index-url": address})
    said = (docker.parent / "docker.said").read_text(encoding="utf-8")
    build, _, *runs = map(shlex.split, said.splitlines())
    assert (build[0], build[-1]) == ("build", ".")
    assert runs[0][-3:] == ["nox", "-s", "tests"]
    assert f"{tmp_path}/bench-out:/jaxvstorch/bench-out" in runs[1]
    assert (tmp_path / "bench-out").is_dir()


def test_the_secrets_are_those_that_a_build_takes() -> None:
    dockerfile = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
    taken = re.findall(r"type=secret,id=(\w+)", dockerfile)
    assert re.findall(r"secret\s+`(\w+)`", PAGE) == taken
