"""Which topics a change touches: Inductor compiles all of their pairs, and one of each other topic.

``nox -s nightly`` compiles every pair.
"""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLES = "jaxvstorch/examples"


def changed_topics(root: Path = ROOT) -> set[str]:
    """The topics whose folder differs from the branch that the change goes into.

    Without git, as in an image, these are none.
    """
    base = _base(root)
    if base is None:
        return set()
    files = [
        *_git(root, "diff", "--name-only", base, "--", EXAMPLES),
        *_git(root, "ls-files", "--others", "--exclude-standard", "--", EXAMPLES),
    ]
    return {Path(file).relative_to(EXAMPLES).parts[0] for file in files}


def _base(root: Path) -> str | None:
    """The commit that a change began at."""
    if os.environ.get("GITHUB_BASE_REF"):  # there the change has been merged into its branch
        return "HEAD^1"
    bases = [
        commit
        for branch in ("origin/main", "main")
        for commit in _git(root, "merge-base", "HEAD", branch)
    ]
    return bases[0] if bases else None


def _git(root: Path, *arguments: str) -> Iterable[str]:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []
