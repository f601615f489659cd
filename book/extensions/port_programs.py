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

SHOWN = (PortStatus.VERIFIED, PortStatus.RANDOM, PortStatus.ANOTHER_WAY, PortStatus.DIFFERS)
AT_PARITY = "Modules of their drafts that are at parity, with their weights and gradients:"
OPEN = "What differed or could not be replayed:"
FILE = Path(__file__).parents[1] / "reference/port_programs.json"


def read() -> dict[str, Any]:
    """What was recorded."""
    record: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return record


def markdown() -> str:
    """The table, the drafts' parts at parity, and the date and versions of the run."""
    record = read()
    head = [
        "program",
        "calls",
        *(f"`{s.sign}`" for s in SHOWN),
        f"`{PortStatus.UNKNOWN.sign}{PortStatus.REFUSED.sign}{PortStatus.FAILED.sign}`",
    ]
    programs = record["programs"]
    rows = [head, ["---", *["--:"] * (len(head) - 1)], *map(_row, programs)]
    table = [f"| {' | '.join(row)} |" for row in rows]
    left = [f"- {p['kind']}: {'; '.join(p['open'])}" for p in programs if p["open"]]
    drafts = [f"- {p['kind']}: {names}" for p in programs if (names := _at_parity(p))]
    return "\n".join(
        [*table, "", _provenance(record), "", OPEN, "", *left, "", AT_PARITY, "", *drafts]
    )


def _row(program: dict[str, Any]) -> list[str]:
    counts = [program["counts"].get(status, 0) for status in SHOWN]
    numbers = [program["calls"], *counts, program["calls"] - sum(counts)]
    return [_link(program), *map(str, numbers)]


def _link(program: dict[str, Any]) -> str:
    if "/" not in program["repository"]:
        return f"{program['kind']} ({program['repository']} {program['at']})"
    return f"[{program['kind']}](https://github.com/{program['repository']}/tree/{program['at']})"


def _at_parity(program: dict[str, Any]) -> str:
    modules = program["whole_model"].items()
    at_parity = [(name, parity) for name, parity in modules if parity.startswith("at parity")]
    return ", ".join(f"`{name}`{_limits(parity)}" for name, parity in at_parity)


def _limits(parity: str) -> str:
    """The limits of a parity, in brackets."""
    limits = {
        "in eval mode": "in eval mode",
        "as far as PyTorch's own float32": "within twice PyTorch's own rounding",
    }
    shown = "; ".join(limit for text, limit in limits.items() if text in parity)
    return f" ({shown})" if shown else ""


def _provenance(record: dict[str, Any]) -> str:
    day = date.fromisoformat(record["date"])
    versions = ", ".join(f"{n} {v.partition('+')[0]}" for n, v in record["versions"].items())
    ratios = [p["seconds_replayed"] / p["seconds_alone"] for p in record["programs"]]
    return (
        f"Run on {day.day} {day:%B %Y} with {versions}, on two cores of a CPU. With its calls "
        f"repeated, a program took {min(ratios):.1f} to {max(ratios):.1f} times as long as alone, "
        "not counting the draft."
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
