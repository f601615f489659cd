"""The wheel holds the whole package."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


# The book shows what is compiled for other devices, which needs the data and one file of C++.
KINDS = ("*.py", "*.css", "*.json", "*.cpp", "*.txt")


def test_the_wheel_holds_every_module_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*command, "--directory", tmp_path], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = ROOT / "jaxvstorch"
    files = [path for kind in KINDS for path in package.rglob(kind)]
    source = {str(path.relative_to(ROOT)) for path in files}
    assert packed == source | {"jaxvstorch/py.typed"}
