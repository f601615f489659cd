"""Starts a program under a replay in a process of its own, and reads what that found."""

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
from jaxvstorch._port.report import Place, PortCall, PortReport, PortStatus

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

    What it prints to standard output goes to standard error.

    Args:
        file: the program.
        arguments: its own.
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
        # Without -P, a json.py or a torch.py where the reader stands would be imported here.
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
        report, whole = read(records)
    if stopped:
        report.ended = f"The program was stopped after {seconds:g} seconds; --seconds sets that."
    elif not whole:
        report.ended = _killed(process.returncode)
    return report


def _wait(process: "subprocess.Popen[bytes]", records: Path, seconds: float) -> bool:
    """Wait for the program's end, and say whether it had to be stopped."""
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


def read(records: Path) -> tuple[PortReport, bool]:
    """What a program's process wrote down, and whether it came to the program's end.

    Raises:
        BrokenInstallError: what a replay needs could not be imported.
    """
    report, whole = PortReport(), False
    for line in records.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:  # the process ended while it wrote
            continue
        match record.pop("kind"):
            case program.BROKEN:
                raise BrokenInstallError(record["text"])
            case program.FOUND:
                report.add(Place(**record["place"]), _call(record["found"]))
            case program.UNREACHED:
                report.add_unreached(Place(**record["place"]), _call(record["found"]))
            case program.BEYOND:
                report.beyond = record["number"]
            case program.NOTE:
                report.notes.append(record["text"])
            case program.PARITY:
                report.parity[record["name"]] = record["came"]
            case program.ENDED:
                report.ended, report.seconds, whole = record["how"], record["seconds"], True
    return report, whole


def _call(record: dict[str, Any]) -> PortCall:
    return PortCall(**record | {"status": PortStatus(record["status"])})
