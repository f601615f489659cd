"""The GitHub Action and the hook of pre-commit, run as GitHub and pre-commit run them."""

import re
import subprocess

import pytest
import yaml
from conftest import ROOT

CLEAN = "import torch\n\ndef step(x, by=1):\n    return torch.sin(x) * by\n"
BREAKS = "import torch\n\ndef step(x, by=1):\n    print(x)\n    return torch.sin(x) * by\n"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def run_action(shell, tmp_path, **given: str) -> subprocess.CompletedProcess[str]:
    """Its steps, one after the other until one fails."""
    inputs = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): text for name, text in given.items()}
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]  # an input could bring a command
        script = tmp_path / "step.sh"
        names = {
            name: inputs[re.fullmatch(r"\$\{\{ inputs\.(\S+) \}\}", text)[1]]
            for name, text in step.get("env", {}).items()
        }
        exports = "".join(f"export {name}={_quoted(text)}\n" for name, text in names.items())
        script.write_text(f"{exports}{step['run']}\n")
        done = shell(f"bash --noprofile --norc -eo pipefail {script}")
        if done.returncode:
            break
    return done


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.mark.parametrize(
    ("model", "given", "status", "said"),
    [
        (CLEAN, {"arg": "f32[8]\nby=2\n"}, 0, "step in PyTorch"),
        (BREAKS, {"arg": "f32[8]"}, 1, "--fail-on: break at model.py:4: "),
        (CLEAN, {"call": "3\n4", "fail_on": "retrace", "framework": "torch"}, 1, "retrace at call"),
        (CLEAN, {"arg": "f32[8]; touch evil"}, 2, "--arg 'f32[8]; touch evil': at character"),
    ],
    ids=["clean", "breaks", "retraces", "hostile"],
)
def test_the_action(shell, tmp_path, model, given, status, said) -> None:
    (tmp_path / "model.py").write_text(model)
    done = run_action(shell, tmp_path, target="model.py:step", **given)
    assert done.returncode == status, done.stdout + done.stderr
    assert said in done.stdout + done.stderr
    assert not (tmp_path / "evil").exists()


CONFIG = """\
repos:
- repo: {repo}
  rev: {rev}
  hooks:
  - id: jaxvstorch-explain
    args: ["model.py:step", "--arg=f32[8]", "--fail-on=failed,break"]
    files: ^model\\.py$
"""


def test_the_hook(shell, tmp_path) -> None:
    author = "-c user.name=tests -c user.email=tests@localhost"
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / ".pre-commit-hooks.yaml").write_text(hooks)

    def git(folder: str, command: str) -> str:
        done = shell(f"git -C {folder} {author} {command}")
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    for command in ("init --quiet", "add --all", "commit --quiet --message hooks"):
        git("hooks", command)
    (tmp_path / "mine").mkdir()
    git("mine", "init --quiet")
    config = CONFIG.format(repo=tmp_path / "hooks", rev=git("hooks", "rev-parse HEAD"))
    (tmp_path / "mine" / ".pre-commit-config.yaml").write_text(config)
    assert shell("pre-commit validate-manifest hooks/.pre-commit-hooks.yaml").returncode == 0
    for model, status, said in ((CLEAN, 0, "Passed"), (BREAKS, 1, "break at model.py:4: ")):
        (tmp_path / "mine" / "model.py").write_text(model)
        git("mine", "add --all")
        done = shell(f"cd mine && PRE_COMMIT_HOME={tmp_path}/cache pre-commit run")
        assert (done.returncode, done.stderr) == (status, ""), done.stdout
        assert said in done.stdout
