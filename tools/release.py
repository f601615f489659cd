"""Is this tag fit to be released, and what does the changelog say of it?

``python tools/release.py check v1.2.3`` ends with 1 unless tag, package and changelog agree;
``python tools/release.py notes 1.2.3`` prints the changelog's part for that version.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
USAGE = "usage: python tools/release.py check TAG | notes VERSION"


class ReleaseError(Exception):
    """The tag, the package's version and the changelog disagree; the message says how."""


def notes(version: str, changelog: str) -> str:
    """The part of a changelog for one version, without its heading.

    Raises:
        ReleaseError: There is no such heading, or nothing under it.
    """
    parts = re.split(r"^## (.*)$", changelog, flags=re.MULTILINE)
    # A heading is `1.2.3`, `1.2.3 - 2026-01-31`, or either with the version in brackets.
    found = {heading.split()[0].strip("[]"): part.strip()
             for heading, part in zip(parts[1::2], parts[2::2], strict=True)
             if heading.strip()}  # fmt: skip
    if not found.get(version):
        raise ReleaseError(f"CHANGELOG.md has nothing under a heading '## {version}': write it")
    return found[version]


def check(tag: str, version: str, changelog: str) -> None:
    """Whether the tag names the package's version, and the changelog has a part for it.

    Raises:
        ReleaseError: One of them does not hold.
    """
    if tag != f"v{version}":
        raise ReleaseError(
            f"the tag is {tag} and the package's version {version} (in jaxvstorch/__init__.py): "
            f"tag v{version}, or change the version first"
        )
    notes(version, changelog)


def main(arguments: list[str]) -> str:
    """What one command prints; raises ReleaseError with the one line that says what is wrong."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    match arguments:
        case ["notes", name]:
            return notes(name.removeprefix("v"), changelog)
        case ["check", tag]:
            source = (ROOT / "jaxvstorch/__init__.py").read_text(encoding="utf-8")
            (version,) = re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE)
            check(tag, version, changelog)
            return f"{tag} can be released"
    raise ReleaseError(USAGE)


if __name__ == "__main__":
    try:
        print(main(sys.argv[1:]))
    except ReleaseError as error:
        sys.exit(f"error: {error}")
