"""Makes one document of what the processes of one framework wrote, in all sessions."""

from collections.abc import Sequence
from typing import Any

from benchmarks.merge import Document


def pool(sessions: Sequence[Sequence[Document]]) -> Document:
    """One document of one framework.

    Args:
        sessions: for each, what the framework's processes wrote; empty where one crashed.
    """
    written = [[part for part in parts if part] for parts in sessions]
    by_name = [{entry["name"]: entry for part in parts for entry in part["benchmarks"]}
               for parts in written]  # fmt: skip
    names = dict.fromkeys(name for entries in by_name for name in entries)
    documents = [part for parts in written for part in parts]
    found = [part["session"] for part in documents]
    own = {
        "busy": sum(session["busy"] for session in found),
        "failed": list(dict.fromkeys(line for session in found for line in session["failed"])),
        "left_out": [name for part in written[0] for name in part["session"]["left_out"]],
    }
    benchmarks = [_pooled([entries.get(name) for entries in by_name]) for name in names]
    return documents[0] | {"benchmarks": benchmarks, "session": found[0] | own}


def _pooled(entries: Sequence[Document | None]) -> Document:
    """One case: of each session the least of its rounds, per call.

    How many calls a run has is each session's own choice.
    """
    times = [entry and entry["stats"]["min"] / _case(entry)["calls_per_run"] for entry in entries]
    known = [entry for entry in entries if entry]
    case = dict(_case(known[0]))
    del case["calls_per_run"]
    queued = [_case(entry)["queued"] for entry in known]
    case["queued"] = min(filter(None, queued), default=None)
    rounds = sum(entry["stats"]["rounds"] for entry in known)
    return {"extra_info": {"case": case}, "stats": {"sessions": times, "rounds": rounds}}


def _case(entry: Document) -> dict[str, Any]:
    found: dict[str, Any] = entry["extra_info"]["case"]
    return found
