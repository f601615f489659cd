"""Directives that show committed benchmark results.

``{results} topic`` shows a topic's figures and, behind them, its tables. ``{results-of} part``
shows what belongs to no topic: ``machines``, ``founding`` or ``clock``. Both have one tab per
machine where results of several machines are committed.
"""

import re
from collections.abc import Callable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from extensions.results_figure import figure
from jaxvstorch import results_tables as tables
from jaxvstorch.results import Results, read_all
from jaxvstorch.timings import own_rows, plain_rows, rows

ROOT = Path(__file__).parents[2]
Show = Callable[[Results], str]

_FOUNDING = {"sin_cos": (9,), "polynomial_sum": (100, 1_000), "matmul": None}


class _ResultsDirective(SphinxDirective):
    """What both directives share: reading the files, and a tab per machine."""

    required_arguments = 1

    def shown(self, show: Show, absent: str) -> list[nodes.Node]:
        """What ``show`` makes of each machine's results, as Markdown."""
        folder = Path(self.config.results_folder)
        for path in folder.glob("*.json"):
            self.env.note_dependency(str(path))
        found, problems = read_all(folder)
        parts = {name: text for name, results in found.items() if (text := show(results))}
        lines = [f":::{{warning}}\nA results file was left out: {p}\n:::\n" for p in problems]
        lines += [_in_tabs(parts)] if parts else [absent]
        return self.parse_text_to_nodes("\n".join(lines))


def _in_tabs(parts: dict[str, str]) -> str:
    if len(parts) == 1:
        return next(iter(parts.values()))
    tabs = [
        f"::::{{tab-item}} {name}\n:sync: {name}\n\n{text}\n::::" for name, text in parts.items()
    ]
    return ":::::{tab-set}\n:sync-group: machine\n\n" + "\n".join(tabs) + "\n:::::"


class TopicDirective(_ResultsDirective):
    """Shows one topic's figures and tables."""

    def run(self) -> list[nodes.Node]:
        """One part per machine."""
        topic = self.arguments[0]
        absent = (
            f"No results of `{topic}` are committed yet. `nox -s bench` makes them on your machine."
        )
        return self.shown(lambda results: self._topic(results, topic), absent)

    def _topic(self, results: Results, topic: str) -> str:
        if topic not in results.topics():
            return ""
        plain = plain_rows(rows(results.timings, topic))
        parts = [_raw(figure(f"results-{topic}-{self.env.new_serialno('results')}", plain))]
        parts += [f":::{{dropdown}} The numbers\n{tables.topic_tables(results, topic)}\n:::"]
        parts += [_source(results, self.config.results_pins)]
        return "\n\n".join(part for part in parts if part)


class PartDirective(_ResultsDirective):
    """Shows a part of the results that belongs to no topic."""

    def run(self) -> list[nodes.Node]:
        """One part per machine; unknown parts are errors."""
        parts: dict[str, Show] = {
            "machines": lambda results: (
                _source(results, self.config.results_pins) + _left_out(results)
            ),
            "founding": _founding,
            "clock": lambda results: tables.clock_table(results) if results.clock else "",
        }
        if self.arguments[0] not in parts:
            known = ", ".join(parts)
            raise self.error(f"there is no part {self.arguments[0]!r}; there are {known}")
        absent = "No results are committed yet. `nox -s bench` makes them on your machine."
        return self.shown(parts[self.arguments[0]], absent)


def _founding(results: Results) -> str:
    chosen = [t for t in results.timings if t.topic == "tracing" and t.name in _FOUNDING]
    chosen = [t for t in chosen if t.size in (_FOUNDING[t.name] or (t.size,))]
    found = rows(chosen)
    plain, other = plain_rows(found), own_rows(found)
    parts = [tables.steady_table(plain), tables.compile_table(plain)] if plain else []
    return "\n\n".join([*filter(None, parts), *([tables.mode_table(other)] if other else [])])


def _source(results: Results, pins: dict[str, str]) -> str:
    """The machine, and a mark where its results are older than the versions pinned."""
    text = f"*Measured on {tables.provenance(results)}"
    text += ", in a quick session*" if results.quick else "*"
    outdated = results.outdated(pins)
    if not outdated:
        return text
    return f"{text}\n\n:::{{attention}}\nMeasured with other versions: {'; '.join(outdated)}.\n:::"


def _left_out(results: Results) -> str:
    """What the session could not measure, in its own words."""
    return "".join(f"\n\n:::{{attention}}\nNot measured: `{p}`\n:::" for p in results.problems)


def _raw(svg: str) -> str:
    return f"```{{raw}} html\n{svg}\n```" if svg else ""


def read_pins(path: Path) -> dict[str, str]:
    """The versions that a constraints file pins."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = (re.match(r"([\w.-]+)==([^\s;]+)", line) for line in lines)
    return {match[1].lower(): match[2] for match in found if match}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and where results and pinned versions are."""
    folder = ROOT / "benchmarks" / "results"
    app.add_config_value("results_folder", str(folder), "env")
    # A folder cannot be a dependency; a file that is new or gone shows in this value instead.
    app.add_config_value("results_files", sorted(p.name for p in folder.glob("*.json")), "env")
    app.add_config_value("results_pins", read_pins(ROOT / "constraints.txt"), "env")
    app.add_directive("results", TopicDirective)
    app.add_directive("results-of", PartDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
