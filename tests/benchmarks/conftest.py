"""What stands for a session's processes, of which each takes seconds."""

from types import SimpleNamespace

import msgspec
import pytest
from process_files import part, timed

from benchmarks import machine, measuring, one_framework


@pytest.fixture
def processes(monkeypatch):
    """They take no time and find one function; there is NumPy alone.

    ``told`` lists what each was told. A framework in ``ends`` ends as is said there, and writes
    nothing.
    """
    told, ends = [], {}

    def run(framework, path, choice, progress):
        told.append([framework, *choice])
        if end := ends.get(framework):
            if end == "stopped":
                raise KeyboardInterrupt
            return end
        written = part(timed("select_where", 5.0 - len(told), 9.0, framework=framework))
        path.write_bytes(msgspec.json.encode(written))
        return 0

    monkeypatch.setattr(measuring, "FRAMEWORKS", ("numpy",))
    monkeypatch.setattr(one_framework, "run", run)
    monkeypatch.setattr(machine, "work_of_others", lambda: 0.0)
    monkeypatch.setattr(machine, "quick_minutes", lambda: 4.0)
    return SimpleNamespace(told=told, ends=ends)
