"""What each image pins is what the project asks for, and one CUDA stack."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tools import requirements

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
pytestmark = pytest.mark.parametrize("flavour", ["cpu", "cuda12", "cuda13", "tpu"])


def pins(path: Path) -> dict[str, str]:
    """Versions by name, without local parts (``+cpu``)."""
    return dict(re.findall(r"^([\w.-]+)===?([\w.]+)", path.read_text(encoding="utf-8"), re.M))


def asked(name: str) -> list[Requirement]:
    """What a dependency group asks for, with the groups it includes."""
    found = []
    for each in PROJECT["dependency-groups"][name]:
        found += asked(each["include-group"]) if isinstance(each, dict) else [Requirement(each)]
    return found


def test_an_image_holds_what_the_project_asks_for(flavour) -> None:
    pinned = pins(ROOT / f"docker/requirements/{flavour}.txt")
    extras = PROJECT["project"]["optional-dependencies"].get(flavour, [])
    own = [Requirement(each) for each in PROJECT["project"]["dependencies"] + extras]
    wanted = own + asked("image")
    assert [str(each) for each in wanted if pinned.get(each.name, "0") not in each.specifier] == []


def test_an_image_holds_what_ci_was_proven_with(flavour) -> None:
    pinned = pins(ROOT / f"docker/requirements/{flavour}.txt")
    proven = pins(ROOT / "constraints.txt")
    differing = {name for name in pinned.keys() & proven if pinned[name] != proven[name]}
    # Its PyTorch is an older one, which brings a Triton of its own.
    assert differing == ({"torch", "triton"} if flavour == "cuda12" else set())


def test_an_image_holds_one_cuda_stack(flavour) -> None:
    lines = (ROOT / f"docker/requirements/{flavour}.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if requirements.WRONG[flavour].search(line)] == []
    assert any("nvidia" in line for line in lines) == flavour.startswith("cuda")
    # Without CUDA a wheel of its own; with it not that one, which "==" would take.
    (torch,) = [line for line in lines if line.startswith("torch==")]
    assert ("===" in torch, "+cpu" in torch) == (
        flavour.startswith("cuda"),
        flavour in ("cpu", "tpu"),
    )
