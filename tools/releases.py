"""Read the last release of each library that the book names into ``book/releases.json``.

``python -m tools.releases`` asks the package index that uv uses, which has to tell when a file was
uploaded. ``--list FILE`` takes a list of that index's packages instead, a line for each: name,
version and month, parted by tabs. ``--read`` is the day on which that was read, today by default.
Names come from ``book/libraries.toml``. What is not found ends this, and so does a month that is
none; nothing is written then.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

BOOK = Path(__file__).parents[1] / "book"
Releases = dict[str, dict[str, str]]


def names() -> list[str]:
    """The libraries that the book names, each once."""
    tasks = tomllib.loads((BOOK / "libraries.toml").read_text(encoding="utf-8"))
    lists = [tasks[task][side] for task in tasks.keys() - {"said"} for side in ("jax", "torch")]
    return sorted({name for names in lists for name in names})


def from_index(wanted: list[str]) -> Releases:
    """Version and day of upload, as uv writes them into a lock file."""
    # Some old libraries have no files for a newer Python, and some new releases none for an older;
    # a release without files for Linux is not found.
    command = ["uv", "pip", "compile", "--quiet", "--no-deps", "--format", "pylock.toml"]
    command += ["--python-version", "3.12", "--python-platform", "x86_64-manylinux_2_31", "-"]
    try:
        done = subprocess.run(command, input="\n".join(wanted), stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        sys.exit("uv is not installed; `nox -s releases` brings it along")
    if done.returncode:
        sys.exit("uv found no release of one of them, and says above of which")
    return {
        package["name"]: {"version": package["version"], "released": _uploaded(package)}
        for package in tomllib.loads(done.stdout)["packages"]
    }


def _uploaded(package: dict[str, Any]) -> str:
    """The day of a release's first file."""
    files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
    times = [file["upload-time"] for file in files if "upload-time" in file]
    if not times:
        sys.exit(f"the index does not say when {package['name']} was uploaded")
    return str(min(times).date())


def from_list(wanted: list[str], file: Path) -> Releases:
    """Version and month, from a list of packages."""
    found = {}
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                name, version, month, *_ = [*line.rstrip("\n").split("\t"), "", ""]
                if name in wanted and version and month:
                    found[name] = {"version": version, "released": _month(month, file, number)}
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{file} cannot be read: {error}")
    return found


def _month(text: str, file: Path, number: int) -> str:
    """A month such as 2026-03, or a day."""
    try:
        date.fromisoformat(text if len(text) > len("2026-03") else f"{text}-01")
    except ValueError:
        sys.exit(f"{file}, line {number}: {text} is no month such as 2026-03")
    return text


def main() -> None:
    """Write the file, if there is an answer for each library."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--read", type=date.fromisoformat, default=date.today())
    given = parser.parse_args()
    if given.read > date.today():
        parser.error(f"nothing was read on {given.read} yet")
    wanted = names()
    releases = from_list(wanted, given.list) if given.list else from_index(wanted)
    if missing := [name for name in wanted if name not in releases]:
        sys.exit(f"no release was found of {', '.join(missing)}")
    text = json.dumps({"read": str(given.read), "releases": releases}, indent=1, sort_keys=True)
    (BOOK / "releases.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
