"""Puts the files of one pytest process per framework together into one results file."""

from typing import Any

from benchmarks.report.entries import HEADER, Timing

Document = dict[str, Any]


def merge(parts: dict[str, Document], **more: Any) -> Document:
    """One document for all frameworks.

    Args:
        parts: pytest-benchmark's document by framework.
        **more: further entries at the top level: date, machine, settings and so on.
    """
    benchmarks = [entry for part in parts.values() for entry in part["benchmarks"]]
    sessions = {name: part["session"] for name, part in parts.items()}
    failed = [problem for session in sessions.values() for problem in session["failed"]]
    versions = {k: v for session in sessions.values() for k, v in session["versions"].items()}
    return {
        "schema": HEADER,
        **more,
        "versions": {**more["versions"], **versions},
        "threads": {name: session["threads"] for name, session in sessions.items()},
        "set_up": {name: session["set_up"] for name, session in sessions.items()},
        "devices": {name: session["device"] for name, session in sessions.items()},
        "precision": {name: session["precision"] for name, session in sessions.items()},
        "peak_memory": {name: session["peak_memory"] for name, session in sessions.items()},
        "share": sum(session["busy"] for session in sessions.values()) / more["seconds"],
        "problems": [*more["problems"], *failed],
        "timings": [timing(entry) for entry in benchmarks],
    }


def timing(entry: Document) -> Timing:
    """A case's pooled entry as a timing."""
    case, stats = entry["extra_info"]["case"], entry["stats"]
    return Timing(**case, sessions=tuple(stats["sessions"]), rounds=stats["rounds"])
