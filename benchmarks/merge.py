"""Puts the files of one pytest process per framework together into one results file."""

from collections.abc import Iterable
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
    turns = [turn(entry) for entry in benchmarks if "clock" in entry["extra_info"]]
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
        "clock": clock_check(turns),
        "problems": [*more["problems"], *failed],
        "timings": timings,
    }


def timing(entry: Document) -> Document:
    """One of pytest-benchmark's entries as a timing, per call."""
    case = dict(entry["extra_info"]["case"])
    stats, calls = entry["stats"], case.pop("calls_per_run")
    return {
        **case,
        "minimum": stats["min"] / calls,
        "spread": stats["spread"] / calls,
        "rounds": stats["rounds"],
        "calls": stats["iterations"] * calls,
    }


def turn(entry: Document) -> Document:
    """One turn of the clocks: the harness's own time beside the others."""
    clocks = dict(entry["extra_info"]["clock"])
    return {**clocks, "harness": entry["stats"]["min"] / clocks.pop("calls_per_run")}


def clock_check(turns: Iterable[Document]) -> list[Document]:
    """The least over the turns, and whether the harness is within 3 % of each other clock.

    Each clock's least is its own best turn's: in another one the machine may have been slower.
    """
    grouped: dict[tuple[str, str], list[Document]] = {}
    for found in turns:
        grouped.setdefault((found["framework"], found["function"]), []).append(found)
    checks = []
    for (framework, function), several in grouped.items():
        check: Document = {"framework": framework, "function": function}
        check["harness"] = min(found["harness"] for found in several)
        for clock in ("timeit", "torch_timer"):
            times = [found[clock] for found in several]
            least = None if None in times else min(times)
            check[clock] = least
            check[f"over_{clock}"] = least and check["harness"] / least
        ratios = [check["over_timeit"], check["over_torch_timer"]]
        check["passed"] = all(abs(r - 1) <= TRUST for r in ratios if r is not None)
        checks.append(check)
    return checks
