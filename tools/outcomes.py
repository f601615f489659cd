"""What came of a stage, in one line, as its files say."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree


def doctor(path: Path) -> str:
    """What is wrong, of what the doctor printed as JSON."""
    checks = _checks(path)
    problems = [f"{each['name']}: {each['problem']}" for each in checks if each["problem"]]
    return "; ".join(problems) or ("nothing is wrong" if checks else "no answer")


def without_gpu(path: Path) -> str:
    """The frameworks that the doctor did not see on a GPU: JAX calls it gpu, PyTorch cuda."""
    devices = {
        each["name"]: each["value"] for each in _checks(path) if each["section"] == "devices"
    }
    seen = [name for name, value in devices.items() if re.search(r"\b(gpu|cuda):\d", value)]
    return " and ".join(name for name in ("JAX", "PyTorch") if name not in seen)


def tests(path: Path) -> str:
    """How many tests ran, of a JUnit report."""
    try:
        suites = list(ElementTree.parse(path).iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return "no report"
    names = ("tests", "failures", "errors", "skipped")
    ran, *others = (sum(int(suite.get(name, 0)) for suite in suites) for name in names)
    words = [f"{count} {name}" for count, name in zip(others, names[1:], strict=True) if count]
    return ", ".join([f"{ran} tests ran", *words])


def benchmarks(path: Path) -> str:
    """How much was timed, of a results file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "no results"
    words = [f"{len(found['timings'])} timings"]
    if found["partial"]:
        words.append(f"partial, {len(found['left_out'])} left out")
    if found["problems"]:
        words.append(f"{len(found['problems'])} problems")
    return ", ".join(words)


def _checks(path: Path) -> list[dict[str, str]]:
    """What the doctor found; empty where it could not answer."""
    try:
        found: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))["checks"]
    except (ValueError, KeyError):
        return []
    return found
