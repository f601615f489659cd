"""Files that are written whole, or not at all."""

import json
import os
from pathlib import Path

import pytest

from benchmarks.report import files
from jaxvstorch._command import BadInputError
from jaxvstorch._command.files import write_page as write_html
from jaxvstorch._files import require_replaceable, write_marked, write_whole


def fill_the_disk(monkeypatch) -> None:
    """Each file takes three bytes, and then the disk is full."""

    def write_bytes(path, data):
        with path.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_bytes)


def write_results(path) -> None:
    files.write_document({"a": "a new one"}, path)


def write_page(path) -> None:
    write_html(path, "a new one")


@pytest.mark.parametrize(
    ("write", "error"), [(write_results, files.ResultsError), (write_page, BadInputError)]
)
def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(
    tmp_path, monkeypatch, write, error
) -> None:
    path = tmp_path / "kept"
    write_marked("the old one\n", path)
    old = path.read_text()
    fill_the_disk(monkeypatch)
    with pytest.raises(error, match=r"kept.* cannot be written: No space left on device"):
        write(path)
    assert path.read_text() == old
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    write(path)
    assert "a new one" in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("text", ["<p>\n", "x = 1\n"])
def test_what_is_not_as_it_was_written_stays(tmp_path, text) -> None:
    path = tmp_path / "file"
    path.touch()
    write_marked(text, path)
    write_marked(text, path)
    for held in (path.read_text() + " ", path.read_text().replace("\n", " \n", 1), text):
        path.write_text(held)
        with pytest.raises(FileExistsError, match="it holds text that jaxvstorch did not write"):
            require_replaceable(path)
        with pytest.raises(FileExistsError):
            write_marked(text, path)
        assert path.read_text() == held


def test_a_link_stays_one(tmp_path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    write_whole("text", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"


def test_a_pipe_is_written_to(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    end = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole("text", tmp_path / "pipe")
    assert os.read(end, 9) == b"text"
    os.close(end)
    assert (tmp_path / "pipe").is_fifo()


def test_half_a_character_is_no_reason_to_lose_the_rest(tmp_path) -> None:
    write_whole(json.loads('"a\\ud800b"'), tmp_path / "file")
    assert (tmp_path / "file").read_text() == "a\\ud800b"
