"""What each image pins is what the project asks for, and one CUDA stack."""

import re
import tomllib
from pathlib import Path

import pytest
import requirements
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FLAVOURS = ("cpu", "cuda12", "cuda13", "tpu")


def pins(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(re.split("===?", line) for line in lines if "==" in line)


def asked(name: str) -> list[Requirement]:
    """What a dependency group asks for, with the groups it includes."""
    found = []
    for each in PROJECT["dependency-groups"][name]:
        found += asked(each["include-group"]) if isinstance(each, dict) else [Requirement(each)]
    return found


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_image_holds_what_the_project_asks_for(flavour) -> None:
    pinned = pins(ROOT / f"docker/requirements/{flavour}.txt")
    extras = PROJECT["project"]["optional-dependencies"].get(flavour, [])
    wanted = asked("image") + [
        Requirement(each) for each in PROJECT["project"]["dependencies"] + extras
    ]
    missing = [
        str(each) for each in wanted
        if each.name not in pinned or pinned[each.name].split("+")[0] not in each.specifier
    ]  # fmt: skip
    assert missing == []


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_image_holds_what_ci_was_proven_with(flavour) -> None:
    pinned = pins(ROOT / f"docker/requirements/{flavour}.txt")
    proven = pins(ROOT / "constraints.txt")
    differing = {name for name in pinned if name in proven
                 and pinned[name].split("+")[0] != proven[name]}  # fmt: skip
    assert differing == ({"torch"} if flavour == "cuda12" else set())


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_image_holds_one_cuda_stack(flavour) -> None:
    lines = (ROOT / f"docker/requirements/{flavour}.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if requirements.WRONG[flavour].search(line)] == []
    assert any("nvidia" in line for line in lines) == flavour.startswith("cuda")


@pytest.mark.parametrize(
    ("flavour", "line"),
    [("cuda12", "nvidia-cublas==13.1.1.3"), ("cuda12", "nvidia-cudnn-cu13==9.2"),
     ("cuda13", "nvidia-cublas-cu12==12.8.4.1"), ("cpu", "nvidia-nccl-cu13==2.29")],
)  # fmt: skip
def test_a_package_of_another_stack_is_found(flavour, line) -> None:
    assert requirements.WRONG[flavour].search(line)


def test_an_image_takes_the_pytorch_that_is_meant() -> None:
    texts = {
        flavour: (ROOT / f"docker/requirements/{flavour}.txt").read_text(encoding="utf-8")
        for flavour in FLAVOURS
    }
    of = {flavour: re.findall("^torch.*$", text, re.M) for flavour, text in texts.items()}
    assert of["cpu"] == of["tpu"] == ["torch==2.13.0+cpu"]
    assert of["cuda13"] == ["torch===2.13.0"]  # and not 2.13.0+cpu, which "==" would take
    assert of["cuda12"] == ["torch===2.10.0"]
