"""The public programs, and their files at one commit."""

import shutil
import tomllib
import urllib.request
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
DRIVERS = HERE / "drivers"
STUBS = HERE / "stubs"
RAW = "https://raw.githubusercontent.com/{repository}/{commit}/{file}"


@dataclass(frozen=True)
class Program:
    """A public program.

    Attributes:
        name: of the program here, and of its driver.
        kind: the kind of program, in words.
        files: the files that it needs, in its repository.
        repository: on GitHub, as ``owner/name``; empty for a part of an installed package.
        commit: of the files.
        package: the installed package that it is a part of.
        models: the names of the modules that it trains or runs as a whole.
    """

    name: str
    kind: str
    files: tuple[str, ...]
    repository: str = ""
    commit: str = ""
    package: str = ""
    models: tuple[str, ...] = ()

    @property
    def driver(self) -> Path:
        """The file that runs it at a small size."""
        return DRIVERS / f"{self.name}.py"

    @property
    def at(self) -> str:
        """Its commit, or the version of its package."""
        return self.commit or version(self.package)


def programs() -> list[Program]:
    """All programs of the list."""
    text = (HERE / "programs.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["program"]
    several = ("files", "models")
    return [Program(**row | {key: (*row.get(key, ()),) for key in several}) for row in rows]


def lay_out(program: Program, folder: Path) -> Path:
    """Put a copy of the driver beside the program's files, and fetch those that are missing.

    Raises:
        OSError: GitHub did not answer, or has no such file.
    """
    folder = folder / program.name
    for file in program.files:
        path = folder / file
        if not path.exists():
            address = RAW.format(repository=program.repository, commit=program.commit, file=file)
            with urllib.request.urlopen(address, timeout=60) as answer:
                source = answer.read()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source)
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(program.driver, folder / f"drive_{program.name}.py"))
