"""What the page on images says of versions and drivers is what is pinned and checked."""

import re
from pathlib import Path

import engine
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
