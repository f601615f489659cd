"""A file is there whole or not at all, whatever stops the process that writes it."""

import json
import subprocess
import sys

import pytest

from jaxvstorch.examples.checkpoints import files

WORDS = b"0123456789" * 100


def write(path, words=WORDS):
    return files.write_whole(path, lambda file: file.write(words))


def test_what_was_written_is_whole_and_nothing_else_is_left(tmp_path) -> None:
    path = write(tmp_path / "step_1.bin")
    files.require_whole(path)
    assert path.read_bytes() == WORDS
    assert sorted(p.name for p in tmp_path.iterdir()) == ["step_1.bin", "step_1.bin.digest"]
    assert json.loads((tmp_path / "step_1.bin.digest").read_text())["bytes"] == len(WORDS)


@pytest.mark.parametrize("length", [0, 1, 499, 500, 999])
def test_a_cut_file_is_refused_and_the_one_before_it_is_found(tmp_path, length: int) -> None:
    first, second = write(tmp_path / "step_1.bin"), write(tmp_path / "step_2.bin")
    assert files.latest_complete(tmp_path, "step_*.bin") == second
    second.write_bytes(WORDS[:length])
    message = rf"step_2\.bin: has {length} bytes, but 1000 were written"
    with pytest.raises(files.IncompleteCheckpointError, match=message):
        files.require_whole(second)
    assert files.latest_complete(tmp_path, "step_*.bin") == first


def test_a_file_with_one_other_byte_is_refused(tmp_path) -> None:
    path = write(tmp_path / "step_1.bin")
    path.write_bytes(b"x" + WORDS[1:])
    with pytest.raises(files.IncompleteCheckpointError, match="not those that were written"):
        files.require_whole(path)


@pytest.mark.parametrize("digest", [None, "", '{"bytes": 10', "[]", "3", "null", "{}"])
def test_a_file_without_its_digest_is_refused(tmp_path, digest) -> None:
    path = write(tmp_path / "step_1.bin")
    beside = tmp_path / "step_1.bin.digest"
    beside.unlink() if digest is None else beside.write_text(digest)
    with pytest.raises(files.IncompleteCheckpointError, match="no digest was written with it"):
        files.require_whole(path)


def test_where_none_is_whole_the_error_says_why_of_each(tmp_path) -> None:
    for number in (1, 2):
        write(tmp_path / f"step_{number}.bin").write_bytes(b"")
    with pytest.raises(files.IncompleteCheckpointError) as caught:
        files.latest_complete(tmp_path, "step_*.bin")
    assert str(caught.value).splitlines() == [
        "no complete checkpoint",
        "step_2.bin: has 0 bytes, but 1000 were written",
        "step_1.bin: has 0 bytes, but 1000 were written",
    ]
    with pytest.raises(files.IncompleteCheckpointError, match=r"there is no other\*"):
        files.latest_complete(tmp_path, "other*")


def test_a_checkpoint_is_not_written_over(tmp_path) -> None:
    path = write(tmp_path / "step_1.bin")
    with pytest.raises(FileExistsError, match=r"step_1\.bin is there already"):
        write(path, b"other")
    assert path.read_bytes() == WORDS


def test_a_damaged_one_is_replaced_and_what_was_not_written_here_is_not(tmp_path) -> None:
    path = write(tmp_path / "step_1.bin")
    path.write_bytes(b"")
    assert write(path) == path
    files.require_whole(path)
    (tmp_path / "step_1.bin.digest").write_text("[]")
    write(path)
    files.require_whole(path)
    other = tmp_path / "step_2.bin"
    other.write_bytes(b"of another program")
    with pytest.raises(FileExistsError):
        write(other)


def test_a_folder_a_link_to_nothing_and_a_digest_are_passed_over(tmp_path) -> None:
    first = write(tmp_path / "step_1.bin")
    (tmp_path / "step_2.bin").mkdir()
    (tmp_path / "step_3.bin").symlink_to(tmp_path / "nowhere")
    assert files.latest_complete(tmp_path, "step_*") == first
    with pytest.raises(files.IncompleteCheckpointError, match="is a folder, not a file"):
        files.require_whole(tmp_path / "step_2.bin")
    with pytest.raises(FileNotFoundError):
        files.require_whole(tmp_path / "step_3.bin")
    first.unlink()
    with pytest.raises(files.IncompleteCheckpointError) as caught:
        files.latest_complete(tmp_path, "step_*")
    assert str(caught.value).splitlines()[1:] == [
        "step_3.bin: is not there any more",
        "step_2.bin: is a folder, not a file",
    ]


def test_a_longer_number_comes_later(tmp_path) -> None:
    for number in (9, 10):
        last = write(tmp_path / f"step_{number}.bin")
    assert files.latest_complete(tmp_path, "step_*.bin") == last


def test_an_error_while_writing_leaves_no_checkpoint(tmp_path) -> None:
    def fail(file):
        file.write(WORDS)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        files.write_whole(tmp_path / "step_1.bin", fail)
    assert not (tmp_path / "step_1.bin").exists()
    write(tmp_path / "step_1.bin")  # what was left is no hindrance
    files.require_whole(tmp_path / "step_1.bin")


# Each stops the process at another moment, without any chance to clean up.
MOMENTS = {
    "half of it": "file.write(b'0' * 500); file.flush(); kill()",
    "all, but not renamed": "file.write(b'0' * 1000); os.fsync = lambda _: kill()",
    "between both names": """
file.write(b'0' * 1000)
def once(a, b, replace=os.replace):
    replace(a, b)
    kill()
os.replace = once
""",
}
CHILD = """
import os, signal, sys
from pathlib import Path
from jaxvstorch.examples.checkpoints import files
def kill():
    os.kill(os.getpid(), signal.SIGKILL)
def write(file):
    exec(sys.argv[2], {{"file": file, "kill": kill, "os": os}})
files.write_whole(Path(sys.argv[1]), write)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_a_process_killed_while_it_writes_leaves_the_one_before_it(tmp_path, moment: str) -> None:
    first = write(tmp_path / "step_1.bin")
    target = tmp_path / "step_2.bin"
    command = [sys.executable, "-c", CHILD.format(), str(target), moment]
    assert subprocess.run(command).returncode == -9
    assert not target.exists()
    assert len(list(tmp_path.iterdir())) > 2  # something is left, under another name
    assert files.latest_complete(tmp_path, "step_*.bin") == first
    write(target)
    assert files.latest_complete(tmp_path, "step_*.bin") == target
