"""What the page on images says of versions, drivers and secrets is what is pinned and checked."""

import re
from pathlib import Path

import pytest

from tools import engine, images

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/reference/images.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))


@pytest.mark.parametrize("flavour", images.FLAVOURS)
def test_the_versions_are_those_that_are_pinned(flavour) -> None:
    text = (ROOT / f"docker/requirements/{flavour}.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^(jax|torch)===?([\d.]+)", text, re.MULTILINE))
    assert ROWS[flavour].startswith(f"{pinned['jax']} | {pinned['torch']}, ")


@pytest.mark.parametrize("flavour", engine.OLDEST_DRIVER)
def test_the_driver_is_the_one_that_is_checked(flavour) -> None:
    assert f"NVIDIA driver {engine.OLDEST_DRIVER[flavour]} or newer" in ROWS[flavour]


def test_the_secrets_are_those_that_a_build_takes() -> None:
    dockerfile = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
    taken = re.findall(r"type=secret,id=(\w+)", dockerfile)
    assert re.findall(r"secret\s+`(\w+)`", PAGE) == taken
