"""The rules that every workflow keeps: pinned, with few rights, and no logic of its own."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
SETUP = {"pip install -c constraints.txt nox", "gh auth setup-git"}
# Set by GitHub from a name that people with write access choose; the shell sees it as a variable.
VARIABLES = {"$FLAVOUR", "$GITHUB_REF_NAME", "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"}
FORK_GUARD = "github.event.pull_request.head.repo.full_name == github.repository"


def load(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def triggers(workflow: dict[Any, Any]) -> dict[str, Any]:
    return workflow[True]  # YAML 1.1 reads the key `on` as true


def sessions() -> set[str]:
    """The names of the functions that ``nox.session`` decorates."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("nox.session") for each in node.decorator_list)
    }


def named(command: str) -> list[str]:
    """The sessions that a command line of nox names."""
    return command.removeprefix("nox -s ").split(" -- ")[0].split()


JOBS = [
    pytest.param(name, job, id=f"{path.stem}-{name}")
    for path in WORKFLOWS
    for name, job in load(path)["jobs"].items()
]
STEPS = [
    pytest.param(step, id=f"{path.stem}-{name}-{number}")
    for path in WORKFLOWS
    for name, job in load(path)["jobs"].items()
    for number, step in enumerate(job["steps"])
]
each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
each_job = pytest.mark.parametrize(("name", "job"), JOBS)
each_step = pytest.mark.parametrize("step", STEPS)


def test_there_are_workflows() -> None:
    assert {path.stem for path in WORKFLOWS} >= {"accelerator", "ci", "docs", "release"}
    assert {path.name for path in (ROOT / ".github/workflows").iterdir()} == {
        path.name for path in WORKFLOWS
    }


@each_workflow
def test_a_workflow_has_no_rights_and_one_run_at_a_time(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {}
    assert set(workflow["concurrency"]) == {"group", "cancel-in-progress"}


@each_workflow
def test_what_changes_something_elsewhere_is_never_cancelled(path: Path) -> None:
    workflow = load(path)
    rights = {right for job in workflow["jobs"].values() for right in job["permissions"].values()}
    if "write" in rights:
        assert workflow["concurrency"]["cancel-in-progress"] is False


@each_workflow
def test_every_action_is_pinned_by_commit_and_says_its_version(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    uses = [line.strip().removeprefix("- ") for line in lines if "uses:" in line]
    assert [line for line in uses if not PINNED.match(line)] == []


def test_an_action_has_one_version_everywhere() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    pins: dict[str, set[str]] = {}
    for action, pin in re.findall(r"uses: ([\w./-]+)@(.*)", text):
        pins.setdefault(action, set()).add(pin)
    assert {action: found for action, found in pins.items() if len(found) > 1} == {}


@each_job
def test_a_job_has_a_time_limit_and_says_its_rights(name: str, job: dict[str, Any]) -> None:
    assert 0 < job["timeout-minutes"] <= 180
    assert job["permissions"]


@each_step
def test_a_step_sets_up_or_runs_nox(step: dict[str, Any]) -> None:
    command = step.get("run", "nox -s")
    assert command in SETUP or command.startswith("nox -s")
    assert not re.search(r"[;&|<>`\n]|\$\(", command)
    assert "shell" not in step


@each_step
def test_no_text_of_others_reaches_a_shell(step: dict[str, Any]) -> None:
    command = step.get("run", "")
    assert "${{" not in command
    assert set(re.findall(r'"(.*?)"', command)) <= VARIABLES
    assert "$" not in re.sub(r'".*?"', "", command)
    assert set(step.get("env", {}).values()) <= {"${{ github.token }}"}


@each_step
def test_a_checkout_keeps_no_credentials(step: dict[str, Any]) -> None:
    if step.get("uses", "").startswith("actions/checkout@"):
        assert step["with"] == {"persist-credentials": False}


@each_step
def test_every_session_that_is_run_exists(step: dict[str, Any]) -> None:
    command = step.get("run", "")
    if command.startswith("nox"):
        assert named(command)
        assert set(named(command)) <= sessions()


def test_a_session_without_an_environment_runs_the_python_that_runs_nox() -> None:
    """A Debian has no command that is called python."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    bare = {
        node.name: ast.unparse(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("venv_backend='none'" in ast.unparse(each) for each in node.decorator_list)
    }
    assert {"docker", "publish_image", "release_check"} <= set(bare)
    assert [name for name, text in bare.items() if "session.run('python'" in text] == []


@each_workflow
def test_no_trigger_gives_rights_to_a_fork(path: Path) -> None:
    assert not {"pull_request_target", "workflow_run", "issue_comment"} & set(triggers(load(path)))


@each_job
def test_own_machines_see_nothing_of_forks(name: str, job: dict[str, Any]) -> None:
    if "self-hosted" in job["runs-on"]:
        label = f"github.event.label.name == '{job['runs-on'][1]}'"
        assert job["if"].split(" && ", 1) == [
            "github.repository == 'jaxvstorch/jaxvstorch'",
            f"(github.event_name != 'pull_request' || ({label} && {FORK_GUARD}))",
        ]
        assert job["permissions"] == {"contents": "read"}


def test_who_may_sign_and_publish() -> None:
    jobs = load(ROOT / ".github/workflows/release.yml")["jobs"]
    signing = {name for name, job in jobs.items() if "id-token" in job["permissions"]}
    assert signing == {"pypi"}
    assert jobs["pypi"]["environment"]["name"] == "pypi"
    assert not any("run" in step for step in jobs["pypi"]["steps"])
    assert jobs["pypi"]["needs"] == ["test", "build"]
    assert jobs["github"]["needs"] == "pypi"


def test_hosted_runners_ask_for_pytorch_without_cuda() -> None:
    for path in WORKFLOWS:
        workflow = load(path)
        for name, job in workflow["jobs"].items():
            torch = {"lint", "tests", "book", "browser", "bench", "docker", "publish_image"}
            runs = {each for step in job["steps"] for each in named(step.get("run", ""))}
            if "self-hosted" not in job["runs-on"] and torch & runs:
                index = workflow.get("env", {}) | job.get("env", {})
                assert index["PIP_EXTRA_INDEX_URL"] == "${{ vars.TORCH_CPU_INDEX }}", (
                    path.stem,
                    name,
                )


def test_an_image_is_not_built_where_pytorch_without_cuda_cannot_be_found() -> None:
    """A pull request from a fork gets no variables, so not the index either."""
    asked = [each for each in map(load, WORKFLOWS) if "pull_request" in triggers(each)]
    assert len(asked) == 2
    for workflow in asked:
        for job in workflow["jobs"].values():
            runs = {each for step in job["steps"] for each in named(step.get("run", ""))}
            if "docker" in runs:
                assert FORK_GUARD in job.get("if", "")


def test_images_are_made_from_one_base_pinned_by_digest() -> None:
    bases = set()
    for path in WORKFLOWS:
        workflow = load(path)
        for name, job in workflow["jobs"].items():
            runs = {each for step in job["steps"] for each in named(step.get("run", ""))}
            if runs & {"docker", "publish_image"}:
                bases.add((workflow.get("env", {}) | job.get("env", {})).get("BASE", name))
    (base,) = bases
    assert re.fullmatch(r"python:3\.11-slim-bookworm@sha256:[0-9a-f]{64}", base)
