"""A Python environment that adds wheels and this project to all that another Python has."""

import json
import site
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
_CHECK = """
import json, sys
from importlib import metadata
from packaging.requirements import Requirement

for text in json.load(sys.stdin):
    needed = Requirement(text)
    try:
        found = metadata.version(needed.name)
    except metadata.PackageNotFoundError:
        print(f"{text} (there is none)")
        continue
    if not needed.specifier.contains(found, prereleases=True):
        print(f"{text} (there is {found})")
"""


class SetUpError(Exception):
    """The environment cannot be made; the message says what is missing."""


def make(folder: Path, wheels: Sequence[Path]) -> str:
    """Make an environment and return its Python.

    What the wheels hold comes before what the Python that runs this has, and that is left as it
    is. The project is installed from its folder.

    Raises:
        SetUpError: pip fails, or something that the tests or benchmarks need is missing.
    """
    venv.EnvBuilder(symlinks=True).create(folder)
    python = str(folder / "bin" / "python")
    places = {"base": str(folder), "platbase": str(folder)}
    own = Path(sysconfig.get_path("purelib", scheme="venv", vars=places))
    # The wheels first: pip must not see the packages that they are to come before.
    _pip(python, "--no-compile", *map(str, wheels))
    folders = [
        *site.getsitepackages(),
        *([site.getusersitepackages()] * bool(site.ENABLE_USER_SITE)),
    ]
    lines = [f"import site; site.addsitedir({each!r})\n" for each in folders]
    (own / "all_that_python_has.pth").write_text("".join(lines), encoding="utf-8")
    if missing := _missing(python):
        raise SetUpError(
            f"neither this Python nor the wheels have {'; '.join(missing)}: collect the wheels "
            "again, with what `python3 -m pip list --format=freeze` prints here"
        )
    _pip(python, "--no-build-isolation", "--editable", str(ROOT))
    return python


def _pip(python: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--isolated", "--python", python, "install",
               "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
               "--no-cache-dir", *arguments]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        reason = errors[0] if errors else done.stderr.strip()
        raise SetUpError(f"pip cannot install the wheels or the project: {reason}")


def _missing(python: str) -> list[str]:
    """The requirements of the project, its tests and its benchmarks that are not met."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    needed = [*project["project"]["dependencies"], *groups["test"], *groups["bench"]]
    done = subprocess.run(
        [python, "-c", _CHECK], input=json.dumps(needed), capture_output=True, text=True
    )
    if done.returncode:
        raise SetUpError(f"the environment does not work: {done.stderr.strip()}")
    return done.stdout.splitlines()
