"""How the last release of a library is read: from an index, by uv, or from a list of packages."""

import json
from pathlib import Path

import pytest
import releases

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
