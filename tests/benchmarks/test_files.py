"""Results files: what is read, what is refused and how it is named, how they are written."""

import json

import pytest
from result_files import document, load, timing, write

from benchmarks.report import files, schema


def whole(path):
    """A file with something in each of its lists."""
    gpu = {"name": "NVIDIA H200", "memory_bytes": 8}
    machine = document()["machine"] | {"driver": "580.65", "gpus": [gpu]}
    device = {"platform": "gpu", "name": "NVIDIA H200", "cuda": "13.0"}
    return write(
        path, timing(), timing("g"), machine=machine, devices={"jax": device},
        precision={"jax": {"x": False}},
        left_out=["a case"], problems=["a gap"],
    )  # fmt: skip


def test_a_file_comes_back_as_it_was_written(tmp_path) -> None:
    first = files.read(whole(tmp_path / "a.json"))
    files.write(first, tmp_path / "b.json")
    assert files.read(tmp_path / "b.json") == first
    assert first.timings == (timing(), timing("g"))
    assert first.platform("jax") == "gpu"


def test_a_record_is_a_line(tmp_path) -> None:
    files.write(files.read(whole(tmp_path / "a.json")), tmp_path / "b.json")
    lines = (tmp_path / "b.json").read_text().splitlines()
    start = lines.index(' "records": [') + 1
    parts = [json.loads(line.rstrip(",")) for line in lines[start : start + 2]]
    call = {"topic": "branching", "size": 16, "framework": "jax", "mode": "compiled"}
    plain = call | {"session": 0, "seconds": 1.0, "rounds": 5}  # and nothing that is not known
    assert parts == [plain | {"name": "f"}, plain | {"name": "g"}]


def test_the_schema_is_the_one_that_is_generated() -> None:
    committed = schema.FILE.read_text(encoding="utf-8")
    assert committed == schema.json_schema(), "run `python -m benchmarks.report.schema`"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"name": "jaxvstorch-benchmarks"', '"name": "another"', "its schema is 'another': give a"),
        ('"version": 8', '"version": 7', "version 7, .*measure again"),
        ('"version": 8', '"version": 9', "version 9, .*newer jaxvstorch"),
        ('"commit": "", ', "", "missing required field `commit`: it has changed"),
        ('"quick"', '"more": 1, "quick"', "unknown field `more`"),
        ('"quick": true', '"quick": 1', r"Expected `bool`, got `int` - at `\$\.quick`"),
        ('"cores": 2', '"kernels": 2', r"unknown field `kernels` - at `\$\.machine`"),
        ('"seconds": 1.0', '"seconds": "1"', r"got `str` - at `\$.records.0.\.s.*again"),
        ('"seconds": 1.0', '"seconds": 0.0', r"> 0\.0 - at `\$\.records\[0\]\.seconds"),
        ('"seconds": 1.0', '"seconds": NaN', "not JSON, or cut off: .*byte"),
        ('"session": 0', '"session": 1', r"records\[0\]\.session is 1 of only 1"),
        ('"seconds": 9.0', '"seconds": 1e999', r"out of range - at `\$\.sessions\[0\]\.seconds`"),
        ('"framework": "jax"', '"framework": "mlx"', r"at `\$\.records\[0\]\.framework`"),
        ('"name": "g"', '"name": "f"', r"records\[0\] and records\[1\] are of the same call"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_with_what_to_do(tmp_path, old, new, message) -> None:
    path = write(tmp_path / "bad.json", timing(), timing("g"))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(files.ResultsError, match=rf"^{path}: .*{message}"):
        files.read(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty; measure again"),
        (b'{"schema": ', "not JSON, or cut off"),
        (b"{}", "missing required field `schema`: give a file"),
        (b"[]", "Expected `object`, got `array`: give a file"),
        (b'{"schema": "\xff\xfe"}', "jaxvstorch|not JSON|give a file"),
        (b"[" * 100_000, "give a file|nested"),
        (None, "cannot be read"),
    ],
    ids=["empty", "cut off", "object", "list", "bytes", "deep", "absent"],
)
def test_what_is_no_results_file_is_refused(tmp_path, data, message) -> None:
    path = tmp_path / "x.json"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(files.ResultsError, match=f"^{path}: .*({message})"):
        files.read(path)


def test_a_device_without_an_end_is_refused() -> None:
    with pytest.raises(files.ResultsError, match=r"^/dev/zero: is a device"):
        files.read("/dev/zero")


def test_bad_files_are_left_out_of_a_folder_and_named(tmp_path) -> None:
    assert files.read_all(tmp_path) == ({}, [])
    write(tmp_path / "good.json", timing())
    (tmp_path / "cut.json").write_text('{"schema": ', encoding="utf-8")
    found, (problem,) = files.read_all(tmp_path)
    assert list(found) == ["good"]
    assert "cut.json" in problem


def test_versions_are_compared_with_the_pins(tmp_path) -> None:
    found = load(tmp_path, versions={"jax": "0.10.2", "torch": "2.13.0+cpu"})
    assert found.outdated({"jax": "0.10.2", "torch": "2.13.0"}) == []
    assert found.outdated({"jax": "0.11.0"}) == ["jax 0.10.2, now 0.11.0"]
