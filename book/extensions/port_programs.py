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

from jaxvstorch._port.report_data import PortStatus

OPEN = "What differed or could not be replayed:"
LEFT = "What is left to do in their drafts, first of all:"
MOST = 160  # characters of a reason
FILE = Path(__file__).parents[1] / "reference/port_programs.json"


def read() -> dict[str, Any]:
    """What was recorded."""
    record: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return record


def markdown() -> str:
    """The table, what is open in it, and the date and versions of the run."""
    record = read()
    programs = record["programs"]
    rows = [["program", "calls verified", "draft"], ["---", "---", "---"], *map(_row, programs)]
    table = [f"| {' | '.join(row)} |" for row in rows]
    differing = [f"- {p['kind']}: {'; '.join(p['open'])}" for p in programs if p["open"]]
    left = [f"- {p['kind']}: {_first(p['reasons'])}" for p in programs if p["reasons"]]
    return "\n".join(
        [*table, "", _provenance(record), "", OPEN, "", *differing, "", LEFT, "", *left]
    )


def _row(program: dict[str, Any]) -> list[str]:
    judged = program["calls"] - program["counts"].get(PortStatus.RANDOM, 0)
    verified = program["counts"].get(PortStatus.VERIFIED, 0)
    return [_link(program), f"{verified} of {judged}", _draft(program)]


def _link(program: dict[str, Any]) -> str:
    if "/" not in program["repository"]:
        return f"{program['kind']} ({program['repository']} {program['at']})"
    return f"[{program['kind']}](https://github.com/{program['repository']}/tree/{program['at']})"


def _draft(program: dict[str, Any]) -> str:
    """What is at parity in a draft, and its length over the program's."""
    reached = {
        "all": program["steps_at_parity"] and not program["reasons"],
        "model and steps": program["model_at_parity"] and program["steps_at_parity"],
        "model": program["model_at_parity"],
        "steps": program["steps_at_parity"],
    }
    lines = program["lines"]
    count = program.get("not_verified", 0)  # a row of before has none
    unverified = f"{count} place{'s' * (count > 1)} not verified" if count else ""
    length = f"{lines['own'] / lines['program']:.1f} times as long" if lines else ""
    what = next((k for k, v in reached.items() if v), "nothing")
    return ", ".join(filter(None, [what, unverified, length]))


def _first(reasons: list[str]) -> str:
    """The first reason, and how many more there are."""
    text = reasons[0] if len(reasons[0]) <= MOST else f"{reasons[0][:MOST]}…"
    more = len(reasons) - 1
    return text + (f"; and {more} more" if more else "")


def _provenance(record: dict[str, Any]) -> str:
    day = date.fromisoformat(record["date"])
    versions = ", ".join(f"{n} {v.partition('+')[0]}" for n, v in record["versions"].items())
    return f"Run on {day.day} {day:%B %Y} with {versions}, on a CPU."


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
