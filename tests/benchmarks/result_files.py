"""Results files, and parts of them, for tests to write and to read."""

import json
from dataclasses import asdict

from benchmarks.report import files
from benchmarks.report.entries import HEADER
from benchmarks.report.timings import Timing

MACHINE = {
    "cpu": "A processor", "cores": 2, "memory_bytes": 2**33, "system": "Linux x86_64",
    "driver": None, "gpus": [],
}  # fmt: skip
SETTINGS = {"dtype": "float32", "matmul_precision": "highest"}
CPU = {"platform": "cpu", "name": "cpu", "cuda": None}


def document(*timings, **more):
    count = len(timings[0].sessions) if timings else 1
    return {
        "schema": {"name": HEADER.name, "version": HEADER.version},
        "date": "2026-01-02", "quick": True, "select": "",
        "sessions": list(map(session, range(count))),
        "partial": False, "left_out": [], "seconds": 9.0, "share": 0.5, "commit": "", "image": "",
        "machine": MACHINE, "versions": {"python": "3.11"}, "threads": {"jax": 2}, "devices": {},
        "precision": {}, "peak_memory": {"jax": None}, "set_up": {"jax": 0.5},
        "settings": SETTINGS, "problems": [],
        "records": [record for timing in timings for record in records(timing)], **more,
    }  # fmt: skip


def records(timing):
    """The records of a timing; the first one has what was measured in one session only."""
    more = asdict(timing)
    times = {session: time for session, time in enumerate(more.pop("sessions")) if time}
    found = [more | {"session": session, "seconds": time} for session, time in times.items()]
    one_session = {"rounds": 0, "first_call": None, "new_shape": None, "queued": None}
    return [found[0], *(record | one_session for record in found[1:])]


def session(number=0):
    return {"date": f"2026-01-{number + 2:02}", "seconds": 9.0, "commit": ""}


def timing(name="f", *times, framework="jax", mode="compiled", **more):
    """A timing of as many sessions as there are times; of one where there is none."""
    return Timing("branching", name, 16, framework, mode, times or (1.0,), 5, **more)


def write(path, *timings, **more):
    path.write_text(json.dumps(document(*timings, **more)))
    return path


def load(tmp_path, *timings, **more):
    return files.read(write(tmp_path / "x.json", *timings, **more))
