"""What a tag is checked against before it is released."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import jaxvstorch

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tools/release.py"
RELEASE = runpy.run_path(str(SCRIPT))
CHANGELOG = """# Changelog

## Unreleased

## [1.1.0] - 2026-02-01

### Added

- A word.

## 1.0.0

- Two words.
"""


@pytest.mark.parametrize(
    ("version", "expected"), [("1.1.0", "### Added\n\n- A word."), ("1.0.0", "- Two words.")]
)
def test_notes_are_what_stands_under_the_version(version: str, expected: str) -> None:
    assert RELEASE["notes"](version, CHANGELOG) == expected


@pytest.mark.parametrize("version", ["1.1", "2.0.0", "Unreleased", ""])
def test_a_version_without_notes_is_refused(version: str) -> None:
    with pytest.raises(RELEASE["ReleaseError"], match=f"nothing under a heading '## {version}'"):
        RELEASE["notes"](version, CHANGELOG)


def test_tag_package_and_changelog_agree() -> None:
    RELEASE["check"]("v1.1.0", "1.1.0", CHANGELOG)


@pytest.mark.parametrize(
    ("tag", "version", "reason"),
    [
        ("v1.1.1", "1.1.0", r"the tag is v1\.1\.1 and the package's version 1\.1\.0"),
        ("1.1.0", "1.1.0", r"tag v1\.1\.0"),
        ("v2.0.0", "2.0.0", r"CHANGELOG\.md has nothing under a heading '## 2\.0\.0'"),
    ],
)
def test_one_that_disagrees_is_named(tag: str, version: str, reason: str) -> None:
    with pytest.raises(RELEASE["ReleaseError"], match=reason):
        RELEASE["check"](tag, version, CHANGELOG)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["check", "v0.0.0"], f"error: the tag is v0.0.0 and the package's version "
         f"{jaxvstorch.__version__} (in jaxvstorch/__init__.py): tag v{jaxvstorch.__version__}, "
         "or change the version first"),
        (["notes", "0.0.0"],
         "error: CHANGELOG.md has nothing under a heading '## 0.0.0': write it"),
        (["check"], "error: usage: python tools/release.py check TAG | notes VERSION"),
    ],
)  # fmt: skip
def test_the_command_fails_with_one_line(arguments: list[str], line: str) -> None:
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line + "\n")
