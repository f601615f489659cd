"""Collect the wheels that a machine without a network lacks to test and time this project.

``python tools/wheelhouse.py HAVE OUT``, with uv and pip beside it: HAVE is what
``python3 -m pip list --format=freeze`` prints on that machine, OUT a new folder for the wheels.
The frameworks, NumPy and CUDA's libraries are that machine's own: they are never among them.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = ("jax", "jaxlib", "numpy", "torch")
MEBIBYTE = 1024 * 1024
_OWN = re.compile(r"(jax|jaxlib|jax-cuda\d+-.+|libtpu|numpy|torch|triton|nvidia-.+|cuda-.+)$")
_PIN = re.compile(r"([\w.-]+)==([\w.!-]+)(\+[\w.]+)?$")
_GLIBC = 28  # the newest minor version of glibc 2 that a wheel may ask for: Debian 10, RHEL 8


class WheelhouseError(Exception):
    """The wheels cannot be collected; the message says why, and what to do."""


def read_pins(text: str, name: str) -> dict[str, str]:
    """Versions by normalized name, of lines ``name==version``; local parts (``+cpu``) are cut.

    Raises:
        WheelhouseError: A line is something else.
    """
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not (line := line.partition("#")[0].strip()):
            continue
        if not (match := _PIN.match(line)):
            raise WheelhouseError(
                f"{name}, line {number}: {line!r} is not NAME==VERSION; make the file on the "
                "target with `python3 -m pip list --format=freeze`"
            )
        found[re.sub(r"[-_.]+", "-", match[1]).lower()] = match[2]
    return found


def lacking(needed: Mapping[str, str], have: Mapping[str, str]) -> list[str]:
    """The pins of what a machine lacks, or has in a version that does not do."""
    return [
        f"{name}=={version}"
        for name, version in sorted(needed.items())
        if have.get(name) != version and not _OWN.match(name)
    ]


def resolve(have: Mapping[str, str], proven: Mapping[str, str], python: str) -> dict[str, str]:
    """What the tests and the benchmarks need, in the target's own versions where these do.

    Args:
        have: what the target has.
        proven: the versions to prefer of all else.
        python: the target's Python, such as ``"3.12"``.

    Raises:
        WheelhouseError: The target's frameworks do not fit.
    """
    with tempfile.TemporaryDirectory() as folder:
        own, found = Path(folder, "own.txt"), Path(folder, "found.txt")
        own.write_text("".join(f"{n}=={v}\n" for n, v in have.items() if _OWN.match(n)))
        # uv prefers the versions that its output file has already.
        found.write_text("".join(f"{n}=={v}\n" for n, v in {**proven, **have}.items()))
        _run(
            "uv", "pip", "compile", "--quiet", "--no-annotate", "--no-header",
            "--only-binary", ":all:", "--python-version", python,
            "--python-platform", f"x86_64-manylinux_2_{_GLIBC}",
            "--constraint", own, "--group", "test", "--group", "bench", "--output-file", found,
            "pyproject.toml",
        )  # fmt: skip
        return read_pins(found.read_text(), found.name)


def download(pins: Sequence[str], folder: Path, python: str) -> None:
    """Download one wheel for each pin, for Linux on x86-64."""
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(_GLIBC, 4, -1)]
    platforms += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]
    _run(
        "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder,
        "--implementation", "cp", "--python-version", python,
        *(f"--platform={each}" for each in platforms), *pins,
    )  # fmt: skip


def check_size(folder: Path, limit: float) -> float:
    """The size of all wheels in a folder, in MiB.

    Raises:
        WheelhouseError: It is above the limit; the message names the biggest.
    """
    sizes = {path.name: path.stat().st_size / MEBIBYTE for path in folder.glob("*.whl")}
    total = sum(sizes.values())
    if total > limit:
        biggest = sorted(sizes, key=lambda name: sizes[name], reverse=True)[:3]
        names = ", ".join(f"{name} ({sizes[name]:.1f} MiB)" for name in biggest)
        raise WheelhouseError(
            f"the wheels are {total:.1f} MiB, and {limit:g} may be brought along; the biggest: "
            f"{names}. Install these on the target, or raise --limit"
        )
    return total


def collect(have_file: Path, out: Path, python: str, limit: float) -> str:
    """Fill ``out`` with wheels, or leave it as it was; returns what there is to say.

    Raises:
        WheelhouseError: They cannot be collected, or are too big.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise WheelhouseError(f"{out}: is not an empty folder: name a new one")
    try:
        have = read_pins(have_file.read_text(encoding="utf-8"), str(have_file))
    except (OSError, UnicodeDecodeError) as error:
        raise WheelhouseError(f"{have_file}: cannot be read: {error}") from error
    if missing := [name for name in NEEDED if name not in have]:
        raise WheelhouseError(
            f"{have_file} has no {' and no '.join(missing)}: the target needs its own, for its GPU"
        )
    proven = read_pins((ROOT / "constraints.txt").read_text(encoding="utf-8"), "constraints.txt")
    pins = lacking(resolve(have, proven, python), have)
    with tempfile.TemporaryDirectory() as folder:
        if pins:
            download(pins, Path(folder), python)
        size = check_size(Path(folder), limit)
        out.mkdir(parents=True, exist_ok=True)
        for wheel in Path(folder).iterdir():
            shutil.move(wheel, out)
    return f"{out}: {len(pins)} wheels, {size:.1f} MiB: {', '.join(pins)}"


def _run(module: str, *arguments: str | Path) -> None:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise WheelhouseError(f"{module} {arguments[0]} failed:\n{done.stderr.strip()}")


def main(arguments: Sequence[str] | None = None) -> str:
    """What the command prints; raises WheelhouseError with what is wrong."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("have", type=Path, help="`pip list --format=freeze` of the target")
    parser.add_argument("out", type=Path, help="the folder to fill, new or empty")
    parser.add_argument("--python", default="3.12", help="the target's (default: %(default)s)")
    parser.add_argument(
        "--limit", type=float, default=60,
        help="MiB of all wheels together (default: %(default)s, so that with the repository it "
        "stays under 64)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    return collect(options.have.resolve(), options.out.resolve(), options.python, options.limit)


if __name__ == "__main__":
    try:
        print(main())
    except WheelhouseError as error:
        sys.exit(f"error: {error}")
