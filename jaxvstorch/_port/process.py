"""Starts a program under a replay in another process, and reads its records."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from jaxvstorch._frameworks.importing import BrokenInstallError
from jaxvstorch._port import program
from jaxvstorch._port.program import Record
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus

_LOOK = 0.1  # seconds between two looks at whether the program has begun
GRACE = 10.0  # seconds between asking a program to stop and ending it


def replayed(
    file: str,
    arguments: list[str],
    *,
    limit: int,
    seconds: float,
    write: Path | None = None,
) -> PortReport:
    """Run a program and report on it, however it ends.

    The program's standard output goes to standard error.

    Args:
        file: the program.
        arguments: the program's arguments.
        limit: how many calls of one name on one line are done again.
        seconds: after which it is stopped.
        write: where to write a draft of the port.

    Raises:
        BrokenInstallError: what this needs cannot be imported; the program was not run.
    """
    with tempfile.TemporaryDirectory(prefix="jaxvstorch-") as folder:
        records = Path(folder, "records")
        records.touch()
        options = {"records": str(records), "file": os.path.abspath(file), "typed": file,
                   "arguments": arguments, "limit": limit,
                   "write": write and os.path.abspath(write)}  # fmt: skip
        # Without -P, a json.py or a torch.py in the current folder would be imported here.
        command = [sys.executable, "-P", "-m", program.__name__, json.dumps(options)]
        environment = os.environ | {"JAX_PLATFORMS": "cpu"}  # a GPU's memory is the program's
        sys.stdout.flush()
        with subprocess.Popen(command, stdout=2, env=environment) as process:
            stopped = _wait(process, records, seconds)
        if not records.stat().st_size:
            raise BrokenInstallError(
                f"{file} was not run: importing JAX and PyTorch together ended Python with status "
                f"{process.returncode}. `jaxvstorch doctor` says what is broken."
            )
        report, complete = _read(records)
    if stopped:
        report.ended = f"The program was stopped after {seconds:g} seconds; --seconds sets that."
    elif not complete:
        report.ended = _killed(process.returncode)
    return report


def _wait(process: "subprocess.Popen[bytes]", records: Path, seconds: float) -> bool:
    """Wait for the program's end; whether it had to be stopped."""
    try:
        while not records.stat().st_size:  # both frameworks are imported before it begins
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
                return False
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        _end(process)
        return True
    except KeyboardInterrupt:  # the program got it too
        _end(process)
        if not records.stat().st_size:
            raise
    return False


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(GRACE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


def _killed(status: int) -> str:
    if status < 0:
        return f"The program was ended by {signal.Signals(-status).name}."
    return f"The program ended its process at once, with status {status}."


def _read(records: Path) -> tuple[PortReport, bool]:
    """The report in a process's records, and whether the program reached its end.

    Raises:
        BrokenInstallError: what a replay needs could not be imported.
    """
    report, complete = PortReport(), False
    for line in records.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:  # the process ended while it wrote
            continue
        match Record(record.pop("kind")):
            case Record.BROKEN:
                raise BrokenInstallError(record["text"])
            case Record.CALL:
                report.add(Location(**record["location"]), _call(record["call"]))
            case Record.UNREACHED:
                report.add_unreached(Location(**record["location"]), _call(record["call"]))
            case Record.BEYOND:
                report.beyond = record["number"]
            case Record.NOTE:
                report.notes.append(record["text"])
            case Record.FAILED_DRAFT:
                report.failed_draft = record["why"]
            case Record.PARITY:
                report.parity[record["name"]] = record["result"]
            case Record.ENDED:
                report.ended, report.seconds, complete = record["how"], record["seconds"], True
    return report, complete


def _call(record: dict[str, Any]) -> PortCall:
    return PortCall(**record | {"status": PortStatus(record["status"])})
