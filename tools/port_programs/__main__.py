"""Run ``port`` on public programs, and write the results: ``nox -s port_programs``.

Arguments are names of programs, all by default. The other rows of the table stay, if the versions
are still those of the table. ``--folder`` holds the programs' files.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jaxvstorch._port.report_data import PortStatus
from tools.port_programs.drafts import describe
from tools.port_programs.fetching import STUBS, Program, lay_out, programs

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "book/reference/port_programs.json"
FOLDER = ROOT / "build/port_programs"
SECONDS = "900"
OPEN = (PortStatus.DIFFERS, PortStatus.FAILED, PortStatus.REFUSED, PortStatus.UNKNOWN)
VERSIONS = ("jax", "torch", "flax", "optax", "transformers")


def main(arguments: list[str] | None = None) -> int:
    """Run port on programs, and write the table."""
    parser = argparse.ArgumentParser(prog="port_programs", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where their files are")
    options = parser.parse_args(arguments)
    chosen = [p for p in programs() if not options.names or p.name in options.names]
    table = []
    for program in chosen:
        table.append(run_program(program, options.folder.resolve()))
        print(json.dumps(table[-1], indent=1, ensure_ascii=False), flush=True)
    versions = {name: version(name) for name in VERSIONS}
    rows = {row["name"]: row for row in [*_recorded(versions), *table]}
    _write(versions, [rows[p.name] for p in programs() if p.name in rows])
    return 0 if all(row["same_output"] and row["ended"] is None for row in table) else 1


def _recorded(versions: dict[str, str]) -> list[dict[str, Any]]:
    """The table's rows, if they come from the same versions."""
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return results["programs"] if results.get("versions") == versions else []


def _write(versions: dict[str, str], rows: list[dict[str, Any]]) -> None:
    results = {"date": date.today().isoformat(), "versions": versions, "programs": rows}
    text = json.dumps(results, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def run_program(program: Program, folder: Path) -> dict[str, Any]:
    """Run a program alone and under port; its row of the table."""
    driver = lay_out(program, folder)
    draft, report_file = (folder / f"{program.name}{end}" for end in ("_jax.py", ".json"))
    text, _ = _run([sys.executable, str(driver)])
    port = [sys.executable, "-m", "jaxvstorch", "port", str(driver), "--json"]
    command = [*port, "--seconds", SECONDS, "--write", str(draft)]
    port_text, printed = _run(command, separate=True)
    report_file.write_text(printed, encoding="utf-8")
    report = json.loads(printed)
    same = _without_times(text) == _without_times(port_text)
    (folder / f"{program.name}.txt").write_text(f"{text}\n=====\n{port_text}", encoding="utf-8")
    return {
        "name": program.name,
        "kind": program.kind,
        "repository": program.repository or program.package,
        "at": program.at,
        "calls": sum(report["counts"].values()),
        "counts": report["counts"],
        "open": _open(report["lines"]),
        "not_replayed_again": report["beyond"],
        "ended": report["ended"],
        "same_output": same,
        "parts": _parts(report["parity"]),
        **describe(draft, program.models, report["parity"], driver.parent),
    }


def _open(lines: list[dict[str, Any]]) -> list[str]:
    """The calls that JAX did not do the same, each with its note."""
    calls = [call for line in lines for call in line["calls"] if call["status"] in OPEN]
    return sorted({f"`{call['name']}`: {call['note'] or call['status']}" for call in calls})


def _parts(parity: dict[str, str]) -> dict[str, int]:
    """How many parts of the draft have each result."""
    return dict(Counter(result.partition(":")[0] for result in parity.values()))


def _run(command: list[str], separate: bool = False) -> tuple[str, str]:
    """A program's output, and its standard output alone."""
    path = os.pathsep.join([str(STUBS), str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": ""}
    # PyTorch's warnings name the line that called it, which under port is one of port's.
    environment |= {"PYTHONWARNINGS": "ignore", "TQDM_DISABLE": "1"}
    errors = subprocess.PIPE if separate else subprocess.STDOUT
    with tempfile.TemporaryDirectory() as here:
        done = subprocess.run(
            command, cwd=here, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    return done.stderr if separate else done.stdout, done.stdout


def _without_times(text: str) -> list[str]:
    """The lines that a program printed, without times in seconds."""
    return [re.sub(r" *\d+\.\d+ ?m?s\b", "", line) for line in text.splitlines() if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
