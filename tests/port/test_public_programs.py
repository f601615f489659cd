"""The list of public programs, their drivers, and their recorded results."""

import json
import tomllib
from pathlib import Path

import pytest

from jaxvstorch._port.report_data import PortStatus
from tools.port_programs import fetching

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
    assert row["at"] == PROGRAMS[row["name"]].get("commit", RECORDED["versions"]["transformers"])
    assert sum(row["counts"].values()) == row["calls"]
    assert bool(row["open"]) == bool(
        row["counts"].keys() & {"differs", "not replayed", PortStatus.UNKNOWN}
    )


def test_drafts_of_at_least_three_programs_are_at_parity_as_a_whole() -> None:
    whole = {"GPT", "Net", "ResNet", "Policy", "Generator", "GAT", "RNNModel", "NaiveUnet"}
    at_parity = {
        name
        for row in RECORDED["programs"]
        for name, result in row["whole_model"].items()
        if result.startswith("at parity: values and gradients")
    }
    assert len(at_parity & whole) >= 3


def test_a_file_that_is_there_is_not_fetched_again(tmp_path) -> None:
    (program,) = [p for p in fetching.programs() if p.name == "mnist"]
    present = tmp_path / "mnist/mnist/main.py"
    present.parent.mkdir(parents=True)
    present.write_text("kept\n", encoding="utf-8")
    driver = fetching.lay_out(program, tmp_path)  # without the network
    assert driver.name == "drive_mnist.py"
    assert present.read_text(encoding="utf-8") == "kept\n"
