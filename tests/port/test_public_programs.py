"""The list of public programs, their drivers, and their recorded results."""

import json
import tomllib
from pathlib import Path

import pytest

from jaxvstorch._port.report_data import PortStatus
from tools.port_programs import fetching
from tools.port_programs.drafts import describe

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools/port_programs"
PROGRAMS = {
    program["name"]: program
    for program in tomllib.loads((TOOL / "programs.toml").read_text(encoding="utf-8"))["program"]
}
RECORDED = json.loads((ROOT / "book/reference/port_programs.json").read_text(encoding="utf-8"))


def test_each_program_has_a_driver_and_is_recorded() -> None:
    assert {path.stem for path in (TOOL / "drivers").glob("*.py")} == set(PROGRAMS)
    assert {row["name"] for row in RECORDED["programs"]} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_driver_is_short_and_its_program_pinned(name) -> None:
    text = (TOOL / f"drivers/{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 30
    program = PROGRAMS[name]
    assert len(program.get("commit", "")) == 40 or program["package"]


@pytest.mark.parametrize("row", RECORDED["programs"], ids=lambda row: row["name"])
def test_a_program_behaves_under_port_as_alone(row) -> None:
    assert row["same_output"]
    assert row["ended"] is None
    assert row["at"] == PROGRAMS[row["name"]].get("commit", row["at"])
    assert sum(row["counts"].values()) == row["calls"]
    assert bool(row["open"]) == bool(
        row["counts"].keys() & {"differs", "not replayed", PortStatus.UNKNOWN}
    )


def test_most_models_are_at_parity() -> None:
    reached = [row["name"] for row in RECORDED["programs"] if row["model_at_parity"]]
    assert len(reached) >= 13


def test_what_is_not_at_parity_has_a_reason() -> None:
    silent = [
        row["name"]
        for row in RECORDED["programs"]
        if not (row["model_at_parity"] and row["steps_at_parity"]) and not row["reasons"]
    ]
    assert silent == []


def test_the_parity_and_the_length_of_a_draft(tmp_path) -> None:
    program, draft = tmp_path / "train.py", tmp_path / "draft.py"
    program.write_text('"""A net."""\n\nx = 1  # one\n# no code\ny = 2\n', encoding="utf-8")
    draft.write_text(
        f'"""A draft of {program.name} in JAX, by port.\n"""\n\nx = 1\n# TODO: y\ny = 2\n'
        "# NOTE: f was not reached, and is not verified\nz = 3\n\n\n"
        "def from_torch(module):\n    return module\n",
        encoding="utf-8",
    )
    steps = "losses, weights and buffers after 3 steps of torch.optim.Adam"
    parity = {
        "Net": "at parity: values and gradients",
        "loss": "cannot be compared: no",
        "train_step": f"not at parity: the loss differs by 1 of its size {steps}",
    }
    described = describe(draft, ["Net"], parity, tmp_path)
    assert described["model_at_parity"]
    assert not described["steps_at_parity"]
    assert described["not_verified"] == 1
    assert described["lines"] == {"program": 2, "draft": 5, "own": 3}
    assert [reason.partition(":")[0] for reason in described["reasons"]] == [
        "`loss`", "`train_step`", "y",
    ]  # fmt: skip
    assert describe(tmp_path / "none.py", ["Net"], {}, tmp_path)["reasons"] == ["no draft"]


def test_a_file_that_is_there_is_not_fetched_again(tmp_path) -> None:
    (program,) = [p for p in fetching.programs() if p.name == "mnist"]
    present = tmp_path / "mnist/mnist/main.py"
    present.parent.mkdir(parents=True)
    present.write_text("kept\n", encoding="utf-8")
    driver = fetching.lay_out(program, tmp_path)  # without the network
    assert driver.name == "drive_mnist.py"
    assert present.read_text(encoding="utf-8") == "kept\n"
