"""Puts the files of one pytest process per framework together into one results file."""

from typing import Any

from benchmarks.clock import TRUST
from jaxvstorch.results import SCHEMA, VERSION

Document = dict[str, Any]


def merge(parts: dict[str, Document], **more: Any) -> Document:
    """One document for all frameworks.

    Args:
        parts: pytest-benchmark's document by framework.
        **more: further entries at the top level: date, machine, settings and so on.
    """
    benchmarks = [entry for part in parts.values() for entry in part["benchmarks"]]
    sessions = {name: part["session"] for name, part in parts.items()}
    timings = [timing(entry) for entry in benchmarks if "case" in entry["extra_info"]]
    checks = [clock_check(entry) for entry in benchmarks if "clock" in entry["extra_info"]]
    failed = [problem for session in sessions.values() for problem in session["failed"]]
    versions = {k: v for session in sessions.values() for k, v in session["versions"].items()}
    return {
        "schema": {"name": SCHEMA, "version": VERSION},
        **more,
        "versions": {**more["versions"], **versions},
        "threads": {name: session["threads"] for name, session in sessions.items()},
        "set_up": {name: session["set_up"] for name, session in sessions.items()},
        "devices": {name: session["device"] for name, session in sessions.items()},
        "precision": {name: session["precision"] for name, session in sessions.items()},
        "peak_memory": {name: session["peak_memory"] for name, session in sessions.items()},
        "share": sum(session["busy"] for session in sessions.values()) / more["seconds"],
        "clock": checks,
        "problems": [*more["problems"], *failed],
        "timings": timings,
    }


def timing(entry: Document) -> Document:
    """A case's pooled entry as a timing."""
    case, stats = entry["extra_info"]["case"], entry["stats"]
    times = {"minimum": stats["min"], "spread": stats["spread"]}
    return {**case, **times, "rounds": stats["rounds"], "calls": stats["calls"]}


def clock_check(entry: Document) -> Document:
    """One check of the clock, and whether the harness is within 3 % of each other clock."""
    check = entry["extra_info"]["clock"]
    ratios = (check["over_timeit"], check["over_torch_timer"])
    passed = all(abs(ratio - 1) <= TRUST for ratio in ratios if ratio is not None)
    return {**check, "passed": passed}
