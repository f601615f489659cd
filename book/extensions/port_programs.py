"""The directive ``{port-programs}``: what ``jaxvstorch port`` made of public programs.

``nox -s port_programs`` runs them and writes ``reference/port_programs.json``. The table is
Markdown, so that a page's notebook has it too.
"""

import json
from datetime import date
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._port.report import PortStatus

SHOWN = (PortStatus.VERIFIED, PortStatus.RANDOM, PortStatus.OTHERWISE, PortStatus.DIFFERS)
AT_PARITY = "Modules of their drafts that are at parity, with their weights and gradients:"
OPEN = "What differed or could not be replayed:"
FILE = Path(__file__).parents[1] / "reference/port_programs.json"


def read() -> dict[str, Any]:
    """What was recorded."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def markdown() -> str:
    """The table, which parts of the drafts are at parity, and when and with what it was made."""
    found = read()
    head = [
        "program",
        "calls",
        *(f"`{s.sign}`" for s in SHOWN),
        f"`{PortStatus.UNKNOWN.sign}{PortStatus.FAILED.sign}`",
    ]
    rows = [head, ["---", *["--:"] * (len(head) - 1)], *map(_row, found["programs"])]
    table = [f"| {' | '.join(row)} |" for row in rows]
    drafts = [
        f"- {one['kind']}: {names}" for one in found["programs"] if (names := _at_parity(one))
    ]
    left = [
        f"- {one['kind']}: {'; '.join(one['open'])}" for one in found["programs"] if one["open"]
    ]
    return "\n".join([*table, "", _with(found), "", OPEN, "", *left, "", AT_PARITY, "", *drafts])


def _row(one: dict[str, Any]) -> list[str]:
    counts = [one["counts"].get(status, 0) for status in SHOWN]
    numbers = [one["calls"], *counts, one["calls"] - sum(counts)]
    return [_program(one), *map(str, numbers)]


def _program(one: dict[str, Any]) -> str:
    if "/" not in one["repository"]:
        return f"{one['kind']} ({one['repository']} {one['at']})"
    return f"[{one['kind']}](https://github.com/{one['repository']}/tree/{one['at']})"


def _at_parity(one: dict[str, Any]) -> str:
    came = one["whole_model"].items()
    return ", ".join(f"`{name}`{_but(t)}" for name, t in came if t.startswith("at parity"))


def _but(parity: str) -> str:
    """What limits a parity, in brackets."""
    limits = {
        "in eval mode": "in eval mode",
        "as far as PyTorch's own float32": "within twice PyTorch's own rounding",
    }
    found = [said for text, said in limits.items() if text in parity]
    return f" ({'; '.join(found)})" if found else ""


def _with(found: dict[str, Any]) -> str:
    day = date.fromisoformat(found["date"])
    versions = ", ".join(f"{n} {v.partition('+')[0]}" for n, v in found["versions"].items())
    longer = [one["seconds_replayed"] / one["seconds_alone"] for one in found["programs"]]
    return (
        f"Run on {day.day} {day:%B %Y} with {versions}, on two cores of a CPU. With its calls done "
        f"again a program took {min(longer):.1f} to {max(longer):.1f} times as long as alone, "
        "without what the draft took."
    )


class PortPrograms(SphinxDirective):
    """Shows the table."""

    def run(self) -> list[nodes.Node]:
        """What the Markdown makes, in a box for the style sheet."""
        self.env.note_dependency(str(FILE))
        return [nodes.container("", *self.parse_text_to_nodes(markdown()), classes=["programs"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("port-programs", PortPrograms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
