"""Starts a program under a replay in another process, and reports on it however it ends."""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from jaxvstorch._frameworks.importing import BrokenInstallError
from jaxvstorch._port import program
from jaxvstorch._port.imports import is_of_jax
from jaxvstorch._port.notebook import is_notebook, read_cells
from jaxvstorch._port.process_group import ProcessGroup, interruptible
from jaxvstorch._port.records import ROOM, has_begun, has_ended, read
from jaxvstorch._port.report import PortReport

_LOOK = 0.1  # seconds between two looks at whether the program has begun


def replayed(
    file: str,
    arguments: list[str],
    *,
    limit: int,
    seconds: float,
    write: Path | None = None,
    module: str | None = None,
    style: str = "nnx",
) -> PortReport:
    """Run a program and report on it, however it ends.

    The program's standard output goes to standard error.

    Args:
        file: the program.
        arguments: the program's arguments.
        limit: how many calls of one name on one line are done again.
        seconds: after which the program is stopped; its draft takes longer.
        write: where to write a draft of the port.
        module: the program's name, if it is run as a module.
        style: of the draft.

    Raises:
        BrokenInstallError: what this needs cannot be imported, or no temporary file can be
            written; the program was not run.
    """
    with interruptible(), _records() as records:
        options = {"records": str(records), "file": os.path.abspath(file), "typed": file,
                   "arguments": arguments, "limit": limit, "module": module, "style": style,
                   "of_jax": is_of_jax(file, module),
                   "write": write and os.path.abspath(write)}  # fmt: skip
        # Without -P, a json.py or a torch.py in the current folder would be imported here.
        command = [sys.executable, "-P", "-m", program.__name__, json.dumps(options)]
        environment = os.environ | {"JAX_PLATFORMS": "cpu"}  # a GPU's memory is the program's
        sys.stdout.flush()
        group = ProcessGroup(command, stdout=2, env=environment)
        with group.suspending():
            in_time = _wait(group, records, seconds)
        if not has_begun(records):
            if group.status == -signal.SIGINT:
                raise KeyboardInterrupt
            raise BrokenInstallError(
                f"{file} was not run: importing JAX and PyTorch together ended Python with status "
                f"{group.status}. `jaxvstorch doctor` says what is broken."
            )
        report, complete = read(records)
    if is_notebook(file):
        left_out = [line for cell in read_cells(os.path.abspath(file)) for line in cell.left_out]
        if left_out:  # and so the report's rendering knows the cells' lines
            report.notes.append(f"Left out, as IPython's: {', '.join(left_out)}.")
    if not in_time:
        early = "" if report.lines else ", before a PyTorch call was repeated in JAX"
        report.ended = (
            f"The program was stopped after {seconds:g} seconds{early}; --seconds changes that."
        )
    elif not complete:
        report.ended = _killed(group.status or 0)
    if write is not None and not complete:
        report.failed_draft = "the program ended before it was drafted"
    return report


@contextmanager
def _records() -> Iterator[Path]:
    """The file for the records, in a folder of its own."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="jaxvstorch-", ignore_cleanup_errors=True)
        records = Path(folder.name, "records")
        records.write_bytes(b" " * ROOM)
    except OSError as error:
        raise BrokenInstallError(
            f"no temporary file can be written ({error.strerror}): set TMPDIR to a folder with "
            "space"
        ) from error
    with folder:
        yield records


def _wait(group: ProcessGroup, records: Path, seconds: float) -> bool:
    """Wait for the process's end; whether the program's came in time."""
    finishes = partial(has_ended, records)
    try:
        while not has_begun(records):  # both frameworks are imported before it begins
            if group.wait(_LOOK):
                return True
        if group.wait(seconds):
            return True
        if finishes():  # the draft is being written and compared
            while not group.wait(_LOOK):
                pass
            return True
    except KeyboardInterrupt:
        group.stop(finishes)
        if not has_begun(records):
            raise
        return True
    except BaseException:
        group.stop()
        raise
    group.stop(finishes)
    return False


def _killed(status: int) -> str:
    if status < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"{names.get(-status, f'signal {-status}')} ended the program."
    return f"The program ended its process at once, with status {status}."
