"""The records that a replayed program's process writes, for the process that waits for it."""

import json
import os
import sys
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from jaxvstorch._frameworks.importing import BrokenInstallError
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus

# Bytes at the beginning of the file, for what must be written on a full disk too.
ROOM = 4096


class Record(StrEnum):
    """The kinds of records."""

    BROKEN = "broken"
    BEGUN = "begun"
    CALL = "call"
    ENDED = "ended"
    BEYOND = "beyond"
    UNREACHED = "unreached"
    NOTE = "note"
    PARITY = "parity"
    FAILED_DRAFT = "failed draft"


class Records:
    """Writes records, and never raises: the program must not get an error of port.

    The file is opened for each record, since a program can close descriptors that it did not open
    and use their numbers again. What is called is bound here, since a program can replace it.

    Args:
        path: of the file, which begins with ``ROOM`` bytes.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._encode = json.JSONEncoder().encode
        self._open, self._write, self._close = os.open, os.write, os.close
        self._process = os.getpid()
        self._lost = 0
        self._why = ""
        self._lost_end: list[str] = []

    def add(self, kind: Record, **values: Any) -> None:
        """Write a record; count it where that fails."""
        if os.getpid() != self._process:  # a fork ran on to the end of the program
            return
        text = ""
        try:
            text = self._encode({"kind": kind, **values})
            self._put(f"\n{text}", os.O_APPEND)
        except Exception as error:  # such as a full disk, or a limit on the size of files
            self._lost += 1
            self._why = getattr(error, "strerror", None) or type(error).__name__
            self._lost_end += [text] * (kind == Record.ENDED)

    def begin(self, kind: Record, **values: Any) -> None:
        """Write the first record, into the room for it."""
        self._put(self._encode({"kind": kind, **values}).ljust(ROOM), 0)

    def finish(self) -> None:
        """Say how many records are missing, and how the program ended if that is one of them."""
        if not self._lost or os.getpid() != self._process:
            return
        text = f"{self._lost} records are missing here; they could not be written: {self._why}."
        try:
            note = self._encode({"kind": Record.NOTE, "text": text})
            self._put("\n".join([note, *self._lost_end])[:ROOM].ljust(ROOM), 0)
        except Exception:
            with suppress(Exception):
                print(f"jaxvstorch: {text}", file=sys.stderr)

    def _put(self, text: str, flag: int) -> None:
        descriptor = self._open(self._path, os.O_WRONLY | flag)
        try:
            self._write(descriptor, text.encode())
        finally:
            self._close(descriptor)


def has_begun(path: Path) -> bool:
    """Whether the first record is there."""
    with path.open("rb") as file:
        return file.read(1) != b" "


def has_ended(path: Path) -> bool:
    """Whether the program has ended, and only its report is still to be finished."""
    return f'{{"kind": "{Record.ENDED}"'.encode() in path.read_bytes()


def read(path: Path) -> tuple[PortReport, bool]:
    """The report in a process's records, and whether the program reached its end.

    Raises:
        BrokenInstallError: what a replay needs could not be imported.
    """
    report, complete = PortReport(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:  # the process ended while it wrote, or the line is empty
            continue
        match Record(record.pop("kind")):
            case Record.BROKEN:
                raise BrokenInstallError(record["text"])
            case Record.BEGUN:
                report.framework = record.get("framework", report.framework)
            case Record.CALL:
                report.add(Location(**record["location"]), _call(record["call"]))
            case Record.UNREACHED:
                report.add_unreached(Location(**record["location"]), _call(record["call"]))
            case Record.BEYOND:
                report.beyond = record["number"]
            case Record.NOTE:
                report.notes.append(record["text"])
            case Record.PARITY:
                report.parity[record["name"]] = record["result"]
            case Record.FAILED_DRAFT:
                report.failed_draft = record["why"]
            case Record.ENDED:
                report.ended, report.seconds, complete = record["how"], record["seconds"], True
    for reached in report.lines:  # by another process too
        report.unreached.pop(reached, None)
    return report, complete


def _call(record: dict[str, Any]) -> PortCall:
    return PortCall(**record | {"status": PortStatus(record["status"])})
