"""The folder for temporary files, and what is said of the compiler where it is of no use."""

import os
import stat
from pathlib import Path

import pytest
from needs import needs_compiler

from jaxvstorch._doctor import compiler, temporary


def test_a_folder_that_can_be_written(tmp_path) -> None:
    found = temporary.check({"TMPDIR": str(tmp_path)})
    assert (found.name, found.value, found.problem) == ("TMPDIR", str(tmp_path), None)
    assert temporary.check({}).value == "not set: /tmp"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("folder", "problem"),
    [("none", "there is no folder "), ("file", " is not a folder"), ("full", "No space left")],
)
@pytest.mark.parametrize("name", ["TMPDIR", "TMP"])
def test_a_folder_of_no_use_is_named(tmp_path, monkeypatch, name, folder, problem) -> None:
    (tmp_path / "file").touch()
    if folder == "full":
        (tmp_path / "full").mkdir()

        def refuse(*arguments, **options):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(temporary.tempfile, "TemporaryFile", refuse)
    found = temporary.check({name: str(tmp_path / folder)})
    assert (found.name, found.value) == (name, str(tmp_path / folder))
    assert problem in found.problem
    assert found.cure.startswith(f"set {name} to a writable folder")


# Like gcc, it keeps what it makes in TMPDIR, wherever its input and output are.
COMPILER = """#!/bin/sh
echo > "$TMPDIR/part" || exit 1
printf '#!/bin/sh\n' > "$6" && chmod +x "$6"
"""


def fake_compiler(folder, script: str) -> dict[str, str]:
    """Environment variables with which it is found."""
    fake = folder / "g++"
    fake.write_text(script)
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    return {"PATH": f"{folder}{os.pathsep}{os.defpath}"}


def test_a_compiler_is_not_blamed_for_the_folder(tmp_path) -> None:
    environ = fake_compiler(tmp_path, COMPILER) | {"TMPDIR": "/nowhere"}
    (found,) = compiler.check(environ, needed=True)
    assert (found.value, found.problem, found.cure) == (str(tmp_path / "g++"), None, None)


def test_where_nothing_can_be_written_the_compiler_is_not_tried(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(temporary, "refusal", lambda folder: f"{folder} has no space left")
    (found,) = compiler.check(fake_compiler(tmp_path, "#!/bin/sh\nexit 1\n"), needed=True)
    assert found.problem is None
    assert temporary.check({}).problem.startswith("/tmp has no space left")


@needs_compiler
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_with_a_real_compiler() -> None:
    """In /proc not even root can make a file, and g++ does not fall back on another folder."""
    (found,) = compiler.check({**os.environ, "TMPDIR": "/proc"}, needed=True)
    assert found.problem is None
    assert temporary.check({"TMPDIR": "/proc"}).problem.startswith("/proc cannot be written")
