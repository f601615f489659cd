"""Records of a run: what cannot be written is dropped, and said."""

import errno
import os
from pathlib import Path

from jaxvstorch._port.records import ROOM, Record, Records, has_begun, read


def test_a_full_disk_loses_records_and_not_the_end(tmp_path) -> None:
    path = Path(tmp_path, "records")
    path.write_bytes(b" " * ROOM)
    assert not has_begun(path)
    records = Records(str(path))
    records.begin(Record.BEGUN)
    assert has_begun(path)
    records.add(Record.BEYOND, number=3)

    def full(file: str, flags: int) -> int:
        if flags & os.O_APPEND:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os.open(file, flags)

    records._open = full
    records.add(Record.NOTE, text="lost")
    records.add(Record.ENDED, how=None, seconds=2.0)
    records.finish()
    report, complete = read(path)
    assert complete
    assert (report.beyond, report.seconds) == (3, 2.0)
    assert report.notes == [
        "2 records are missing here; they could not be written: No space left on device."
    ]
