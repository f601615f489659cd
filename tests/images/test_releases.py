"""How the last release of a library is read: from an index, by uv, or from a list of packages."""

import json
from pathlib import Path

import pytest

from tools import releases

LOCK = """cat > "$(dirname "$0")/asked"
cat <<'END'
[[packages]]
name = "one"
version = "1.2"
sdist = { upload-time = 2026-03-21T01:00:00Z }
wheels = [{ upload-time = 2026-03-20T23:00:00Z }, { upload-time = 2026-04-01T00:00:00Z }]
END"""


def test_the_day_of_a_release_is_that_of_its_first_file(tmp_path: Path, fake, monkeypatch) -> None:
    fake("uv", LOCK)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    assert releases.from_index(["one"]) == {"one": {"version": "1.2", "released": "2026-03-20"}}
    assert (tmp_path / "bin/asked").read_text(encoding="utf-8") == "one"


def test_an_index_that_names_no_day_ends_it() -> None:
    with pytest.raises(SystemExit, match="does not say when one was uploaded"):
        releases._uploaded({"name": "one", "wheels": [{"url": "x"}]})


def test_a_list_gives_the_month_of_what_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "list.tsv"
    file.write_text("name\tversion\tmonth\none\t1.2\t2026-03\ntwo\t3\t2026-04\n", encoding="utf-8")
    assert releases.from_list(["one"], file) == {"one": {"version": "1.2", "released": "2026-03"}}


def test_a_short_line_of_the_list_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "list.tsv"
    file.write_text("one\n\none\t1.2\t2026-03-04\ttext\none\t1.3\n", encoding="utf-8")
    assert releases.from_list(["one"], file) == {
        "one": {"version": "1.2", "released": "2026-03-04"}
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"two\t1\tx\none\t1.2\tMarch\n", "line 2: March is no month such as 2026-03"),
        (b"one\t1.2\t2026-13\n", "line 1: 2026-13 is no month"),
        (b"\xff\xfe", "cannot be read: 'utf-8' codec"),
        (None, "cannot be read: .*No such file"),
    ],
)
def test_a_list_that_is_wrong_ends_it_in_one_line(tmp_path: Path, text, said: str) -> None:
    file = tmp_path / "list.tsv"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(SystemExit, match=said):
        releases.from_list(["one"], file)


def test_uv_that_finds_nothing_or_is_not_there_ends_it_in_one_line(
    tmp_path: Path, fake, monkeypatch
) -> None:
    with pytest.raises(SystemExit, match="uv is not installed"):
        releases.from_index(["one"])
    fake("uv", "exit 1")
    with pytest.raises(SystemExit, match="found no release of one of them"):
        releases.from_index(["one"])


def test_nothing_is_read_tomorrow(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["releases.py", "--read", "9999-01-01"])
    with pytest.raises(SystemExit):
        releases.main()
    assert "nothing was read on 9999-01-01 yet" in capsys.readouterr().err


def test_a_library_that_is_not_found_ends_it_and_nothing_is_written(
    tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "libraries.toml").write_text('[a]\njax = ["one"]\ntorch = []\n', encoding="utf-8")
    file = tmp_path / "list.tsv"
    file.write_text("two\t3\t2026-04\n", encoding="utf-8")
    monkeypatch.setattr(releases, "BOOK", tmp_path)
    monkeypatch.setattr("sys.argv", ["releases.py", "--list", str(file), "--read", "2026-05-01"])
    with pytest.raises(SystemExit, match="no release was found of one"):
        releases.main()
    assert not (tmp_path / "releases.json").exists()
    file.write_text("one\t3\t2026-04\n", encoding="utf-8")
    releases.main()
    found = json.loads((tmp_path / "releases.json").read_text(encoding="utf-8"))
    one = {"version": "3", "released": "2026-04"}
    assert found == {"read": "2026-05-01", "releases": {"one": one}}
