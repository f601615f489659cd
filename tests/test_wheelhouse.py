"""Which wheels a machine without a network is given, and what is refused; nothing is downloaded."""

import runpy
from pathlib import Path

import pytest

WHEELHOUSE = runpy.run_path(str(Path(__file__).parents[1] / "tools/wheelhouse.py"))
ERROR = WHEELHOUSE["WheelhouseError"]
HAVE = "jax==0.11.2\njaxlib==0.11.2\nnumpy==2.5.2\ntorch==2.11.0+cu130\nPyYAML==6.0.3\nrich==14.0\n"
FOUND = """\
jax==0.11.2
jaxlib==0.11.2
numpy==2.5.2
nvidia-cublas==13.1.0.3
pyyaml==6.0.3
rich==15.0.0
torch==2.11.0
triton==3.6.0
typer==0.29.2
"""


@pytest.fixture
def command(monkeypatch, tmp_path):
    """The command, where uv resolves to FOUND and pip's wheels are as big as one says."""
    calls = {}

    def run(module: str, *arguments) -> None:
        calls[module] = [str(each) for each in arguments]

        def after(option: str) -> Path:
            return Path(arguments[arguments.index(option) + 1])

        if module == "uv":
            calls["constraints"] = after("--constraint").read_text().split()
            calls["preferred"] = after("--output-file").read_text().split()
            after("--output-file").write_text(FOUND)
        else:
            for pin in (each for each in arguments if "==" in str(each)):
                (after("--dest") / f"{pin.replace('==', '-')}-py3-none-any.whl").write_bytes(
                    bytes(100_000)
                )

    monkeypatch.setitem(WHEELHOUSE["main"].__globals__, "_run", run)
    (tmp_path / "have.txt").write_text(HAVE)

    def command(*options: str) -> str:
        return WHEELHOUSE["main"]([str(tmp_path / "have.txt"), str(tmp_path / "out"), *options])

    command.calls = calls
    return command


def test_only_what_is_lacking_or_too_old_is_collected(command, tmp_path) -> None:
    said = command()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "rich-15.0.0-py3-none-any.whl", "typer-0.29.2-py3-none-any.whl",
    }  # fmt: skip
    assert "2 wheels, 0.2 MiB: rich==15.0.0, typer==0.29.2" in said


def test_the_frameworks_stay_the_targets_own(command) -> None:
    command("--python", "3.13")
    own = ["jax==0.11.2", "jaxlib==0.11.2", "numpy==2.5.2", "torch==2.11.0"]
    assert command.calls["constraints"] == own
    arguments = command.calls["pip"]
    assert [each for each in arguments if "==" in each] == ["rich==15.0.0", "typer==0.29.2"]
    assert {"--no-deps", "--only-binary=:all:", "--platform=manylinux_2_28_x86_64"} <= {*arguments}
    assert arguments[arguments.index("--python-version") + 1] == "3.13"


def test_of_all_else_the_proven_versions_are_preferred(command) -> None:
    command()
    preferred = command.calls["preferred"]
    assert "rich==14.0" in preferred
    assert any(pin.startswith("beartype==") for pin in preferred)
    assert len({pin.partition("==")[0] for pin in preferred}) == len(preferred)


def test_too_much_is_refused_and_the_biggest_named(command, tmp_path) -> None:
    with pytest.raises(ERROR, match=r"are 0\.2 MiB, and 0\.1 may be .* rich-15\.0\.0-.* \(0\.1 "):
        command("--limit", "0.1")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("have", "says"),
    [
        ("jax==0.11.2\njaxlib==0.11.2\n", "has no numpy and no torch: the target needs its own"),
        ("# mine\ntorch @ file:///a", r"line 2: 'torch @ file:///a' is not NAME==VERSION"),
        (None, "cannot be read: .*No such file"),
    ],
)
def test_a_list_that_says_too_little_is_refused(command, tmp_path, have, says) -> None:
    (tmp_path / "have.txt").unlink()
    if have is not None:
        (tmp_path / "have.txt").write_text(have)
    with pytest.raises(ERROR, match=says):
        command()


def test_a_folder_with_files_is_left_alone(command, tmp_path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old.whl").touch()
    with pytest.raises(ERROR, match="is not an empty folder"):
        command()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["old.whl"]


def test_what_uv_or_pip_says_is_passed_on() -> None:
    with pytest.raises(ERROR, match=r"json\.tool --no-such-option failed:\n(?s:.*)unrecognized"):
        WHEELHOUSE["_run"]("json.tool", "--no-such-option")
