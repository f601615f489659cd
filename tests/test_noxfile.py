"""When a session of nox installs, and when it finds that it need not; nothing is downloaded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# pip itself is in each environment, so that pip has nothing to fetch.
SESSION = """

@nox.session
def probe(session):
    install(session, *session.posargs)
    session.run("python", "-c", "print('it ran')", silent=False)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of nothing but the noxfile, whose session's environment has been made."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "noxfile.py").write_text((ROOT / "noxfile.py").read_text(encoding="utf-8") + SESSION)
    (folder / "pyproject.toml").touch()
    (folder / "constraints.txt").touch()
    (folder / "jaxvstorch").mkdir()
    (folder / "jaxvstorch/__init__.py").touch()
    nox(folder, "pip")
    return folder


@pytest.fixture
def project(environment: Path, tmp_path: Path) -> Path:
    """A copy of it, in which pip has been installed once."""
    return shutil.copytree(environment, tmp_path / "project", symlinks=True)


def nox(project: Path, *asked: str, options: tuple[str, ...] = (), fails: bool = False) -> bool:
    """Run the session that installs what is asked for: did it call pip?"""
    outside = {name: value for name, value in os.environ.items() if name != "JAXVSTORCH_IMAGE"}
    done = subprocess.run(
        [sys.executable, "-m", "nox", *options, "-s", "probe", "--", *asked],
        cwd=project,
        env=outside | {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert (done.returncode != 0) is fails, done.stdout
    assert ("it ran" in done.stdout.splitlines()) is not fails, done.stdout
    return "-m pip install -c constraints.txt" in done.stdout


def test_what_is_installed_is_not_installed_again(project: Path) -> None:
    assert not nox(project, "pip")


def test_other_arguments_install(project: Path) -> None:
    assert nox(project, "pip", "--no-deps")
    assert not nox(project, "pip", "--no-deps")
    assert nox(project, "pip")


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt", "jaxvstorch/__init__.py"])
def test_a_file_that_decides_what_is_installed_installs(project: Path, name: str) -> None:
    (project / name).write_text("# edited\n")
    assert nox(project, "pip")
    assert not nox(project, "pip")


def test_a_new_environment_installs(project: Path) -> None:
    assert nox(project, "pip", options=("--reuse-venv=never",))


def test_what_failed_to_install_is_tried_again(project: Path) -> None:
    nothing = ("a-package-that-does-not-exist",)
    assert nox(project, *nothing, fails=True)
    assert nox(project, *nothing, fails=True)
    assert nox(project, "pip"), "what failed may have changed the environment"


def test_a_run_without_installing_does_not_count_as_installed(project: Path) -> None:
    (project / "constraints.txt").write_text("# edited\n")
    assert not nox(project, "pip", options=("-R",))
    assert nox(project, "pip")
