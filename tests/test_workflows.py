"""What no linter of workflows knows: what CI runs exists, and own machines run no fork's code."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
JOBS = [
    pytest.param(job, id=f"{path.stem}-{name}")
    for path in WORKFLOWS
    for name, job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].items()
]
FORK_GUARD = "github.event.pull_request.head.repo.full_name == github.repository"


def sessions() -> set[str]:
    """The names of the functions that ``nox.session`` decorates."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("nox.session") for each in node.decorator_list)
    }


def test_every_session_that_is_run_exists() -> None:
    lines = re.findall(r"(?:nox -s|session:) ([\w ]+)", TEXT)
    named = {name for line in lines for name in line.split()}
    assert {"lint", "tests", "book", "docker", "build"} <= named
    assert named - sessions() == set()


def test_an_action_has_one_version_everywhere() -> None:
    pins = set(re.findall(r"uses: ([\w./-]+)@(.*)", TEXT))
    assert len(pins) == len({action for action, _ in pins})


def test_images_are_made_from_one_base_pinned_by_digest() -> None:
    (base,) = set(re.findall(r"BASE: (.*)", TEXT))
    assert re.fullmatch(r"python:3\.11-slim-bookworm@sha256:[0-9a-f]{64}", base)


@pytest.mark.parametrize("job", JOBS)
def test_own_machines_see_nothing_of_forks(job: dict[str, Any]) -> None:
    if "self-hosted" in job["runs-on"]:
        label = f"github.event.label.name == '{job['runs-on'][1]}'"
        assert job["if"].split(" && ", 1) == [
            "github.repository == 'jaxvstorch/jaxvstorch'",
            f"(github.event_name != 'pull_request' || ({label} && {FORK_GUARD}))",
        ]
        assert job["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("job", JOBS)
def test_what_can_sign_runs_no_command(job: dict[str, Any]) -> None:
    """Else whatever a release installs could publish in the project's name."""
    if "id-token" in job["permissions"]:
        assert not any("run" in step for step in job["steps"])
        assert "environment" in job
