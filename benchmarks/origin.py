"""Which code is timed, and in which container image."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent  # the project's folder


def commit(root: Path) -> str:
    """The commit of the files in ``root``, with ``-dirty`` where they are not as committed.

    Where there is no repository, as in a container image, the environment variable
    ``JAXVSTORCH_COMMIT`` says it; empty where nothing does.
    """
    given = os.environ.get("JAXVSTORCH_COMMIT", "")
    if not (root / ".git").exists():  # git would look for one further up
        return given
    try:
        name = _git(root, "rev-parse", "HEAD")
        return name + "-dirty" * bool(_git(root, "status", "--porcelain"))
    except (OSError, subprocess.CalledProcessError):
        return given


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def image() -> str:
    """The container image's name and, where known, its digest; empty outside of an image."""
    return os.environ.get("JAXVSTORCH_IMAGE", "")
