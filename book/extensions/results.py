"""Directives that show committed benchmark results.

``{results} topic`` shows a topic's figures and, below them, its tables; ``{results-by-topic} 1``
shows those of all topics in part 1 of the book. ``{results-of} part`` shows what belongs to no
topic: ``overview``, ``first-calls``, ``machines``, ``yardsticks`` or ``founding``.
Several published files have a tab each, and a machine that is chosen once is chosen on the whole
page.
"""

import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchmarks.report import limits, provenance, summary, tables
from benchmarks.report.files import read_all
from benchmarks.report.rows import plain_rows, rows, rows_in_other_modes
from benchmarks.report.schema import Results
from benchmarks.selection import why_not_timed
from extensions import results_bars, results_overview
from jaxvstorch._frameworks import FRAMEWORKS
from jaxvstorch._pairs.pair import Pair
from jaxvstorch._pairs.registry import PAIRS, position, topics
from jaxvstorch._table import Table

ROOT = Path(__file__).parents[2]
Show = Callable[[Results], str]

_FOUNDING = {"sin_cos": (9,), "polynomial_sum": (100, 1_000), "matmul": None}
_NO_GPU = (
    "No result from a GPU is published yet: no GPU computed in any of these files. The part of the "
    "benchmarks that measures on a GPU was tested without one, and has not run on one."
)


class _ResultsDirective(SphinxDirective):
    """The base of the directives: it reads the files and makes a tab per machine."""

    required_arguments = 1

    def shown(self, show: Show, absent: str) -> list[nodes.Node]:
        """Each machine's results, shown by ``show`` as Markdown."""
        published, problems = self.read()
        parts = {name: text for name, results in published.items() if (text := show(results))}
        lines = [f":::{{warning}}\nA results file was left out: {p}\n:::\n" for p in problems]
        if len(published) > 1 and parts:
            lines.append(_in_tabs(parts, _labels(published)))
        else:
            lines.append("".join(parts.values()) or absent)
        return self.parse_text_to_nodes("\n".join(lines))

    def read(self) -> tuple[dict[str, Results], list[str]]:
        """Every results file, and what could not be read."""
        folder = Path(self.config.results_folder)
        for path in folder.glob("*.json"):
            self.env.note_dependency(str(path))
        return read_all(folder)

    def source(self, results: Results) -> str:
        """The machine, and a mark where its results are older than the versions pinned."""
        text = f"*Measured on {provenance.provenance(results)}"
        text += ", in a quick session*" if results.quick else "*"
        return f"{text}\n\n{self.outdated(results)}"

    def outdated(self, results: Results) -> str:
        """A warning if results are from other versions than the pinned ones; else empty."""
        versions = "; ".join(results.outdated(self.config.results_pins))
        text = f":::{{attention}}\nMeasured with other versions: {versions}.\n:::"
        return text if versions else ""


def _labels(published: Mapping[str, Results]) -> dict[str, str]:
    """Each tab's title: the device, and the file too where two devices are alike."""
    labels = {name: provenance.label(results) for name, results in published.items()}
    ambiguous = {label for label in labels.values() if list(labels.values()).count(label) > 1}
    return {n: f"{label} ({n})" if label in ambiguous else label for n, label in labels.items()}


def _in_tabs(parts: Mapping[str, str], labels: Mapping[str, str]) -> str:
    tabs = [
        f"::::{{tab-item}} {labels[name]}\n:sync: {name}\n\n{text}\n::::"
        for name, text in parts.items()
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
        topic_rows = rows(results, topic)
        if not topic_rows:
            return ""
        timings = [timing for row in topic_rows for timing in row.times.values()]
        strips = _raw(results_overview.topic(results, topic))
        shares = _raw(results_bars.shares(timings, results))
        numbers = _folded(tables.topic_tables(results, topic))
        large = _large(results, topic)
        return _joined(
            strips, shares, large, numbers, _left_out(results, topic), self.source(results)
        )


class TopicsOfPartDirective(SphinxDirective):
    """Shows the results of every topic in a part of the book, each under its heading."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """One section per topic, in the order of the book."""
        part = int(self.arguments[0])
        sections = [
            f"(results-{topic})=\n## {title(topic)}\n\n```{{results}} {topic}\n```"
            for topic in topics()
            if position(topic)[0] == part
        ]
        return self.parse_text_to_nodes("\n\n".join(sections), allow_section_headings=True)


def title(topic: str) -> str:
    """What the results call a topic."""
    return topic.replace("_", " ").capitalize()


def linked(topic: str) -> str:
    """The same, with a link to the topic's results, from the page beside them."""
    target = f"results-{position(topic)[0]}.html#{nodes.make_id(f'results-{topic}')}"
    return f'<a class="reference internal" href="{target}">{escape(title(topic))}</a>'


class PartDirective(_ResultsDirective):
    """Shows a part of the results that belongs to no topic."""

    def run(self) -> list[nodes.Node]:
        """One part per machine; unknown parts are errors."""
        parts: dict[str, Show] = {
            "overview": self._overview,
            "first-calls": lambda results: _raw(results_bars.first_calls(results)),
            "machines": self._machine,
            "yardsticks": self._yardsticks,
            "founding": self._founding,
        }
        part = self.arguments[0]
        if part not in parts:
            known = ", ".join(parts)
            raise self.error(f"there is no part {part!r}; there are {known}")
        absent = "No committed results hold this. `nox -s bench` measures it on your machine."
        shown = self.shown(parts[part], absent)
        if part == "machines" and not any(map(provenance.has_gpu, self.read()[0].values())):
            shown += self.parse_text_to_nodes(f":::{{note}}\n{_NO_GPU}\n:::")
        return shown

    def _overview(self, results: Results) -> str:
        versions = ", ".join(
            f"{name} {results.versions[name]}" for name in FRAMEWORKS if name in results.versions
        )
        caption = f"{provenance.machine_name(results)}; {results.date[:10]}; {versions}; "
        number = len(results.sessions)
        caption += f"{results.settings.get('dtype', '')}; {number} session{'s' * (number > 1)}"
        caption += f". {results_overview.counted(results, len(_not_yet(results)))}"
        strips = results_overview.overview(results, {name: linked(name) for name in topics()})
        head = f'<p class="measured-on">{escape(caption)}</p>'
        return _joined(_raw(head + strips), self.outdated(results)) if strips else ""

    def _machine(self, results: Results) -> str:
        left_out = [f":::{{attention}}\nA problem: {p}\n:::" for p in results.warnings]
        table = f":::{{div}} machine\n\n{provenance.machine_table(results)}\n:::"
        return _joined(table, self.outdated(results), *left_out)

    def _yardsticks(self, results: Results) -> str:
        figure = _raw(results_bars.yardsticks(results))
        missing = limits.missing(results.timings)
        note = f"Not measured on this machine: {', '.join(missing)}." if missing else ""
        return _joined(figure, note, _folded(tables.yardstick_table(results)))

    def _founding(self, results: Results) -> str:
        founding = [row for row in rows(results, "tracing") if row.name in _FOUNDING]
        founding = [row for row in founding if row.size in (_FOUNDING[row.name] or (row.size,))]
        if not founding:
            return ""
        plain = plain_rows(founding)
        own_timings = [
            timing for row in rows_in_other_modes(founding) for timing in row.times.values()
        ]
        numbers = [tables.steady_table(plain), tables.compile_table(plain)] if plain else []
        numbers += [tables.mode_table(own_timings)] if own_timings else []
        return _raw(_html(_joined(*numbers)))


def _large(results: Results, topic: str) -> str:
    """Why some ratios are large."""
    measured, by_topic = summary.why_large()
    why = by_topic.get(topic, {})
    lines = [f"- `{n}`: {why[n]}" for n in summary.large_ratios(results, topic) if n in why]
    head = f"**Ratios above four.** What was tried ({measured}):"
    return "\n".join([head, "", *lines]) if lines else ""


def _not_yet(results: Results) -> list[Pair]:
    """The pairs that could be timed and were not."""
    timed = {(timing.topic, timing.name) for timing in results.timings}
    return [p for p in PAIRS if (p.topic, p.name) not in timed and not why_not_timed(p)]


def _left_out(results: Results, topic: str) -> str:
    """Which of a topic's pairs the benchmarks leave out, wholly or in part, and why."""
    pairs = [pair for pair in PAIRS if pair.topic == topic]
    timed = {timing.name for timing in results.timings if timing.topic == topic}
    names: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.name not in timed and (why := why_not_timed(pair)):
            names.setdefault(why, []).append(f"`{pair.name}`")
    wholly = "; ".join(f"{', '.join(several)} ({why})" for why, several in names.items())
    partly = [
        f"`{pair.name}` has no first call and no new shape in the tables: {why}."
        for pair in pairs
        if (why := pair.benchmark.one_shape)
    ]
    not_yet = ", ".join(f"`{pair.name}`" for pair in _not_yet(results) if pair.topic == topic)
    parts = [f"Not timed: {wholly}."] * bool(wholly) + [f"Not timed yet: {not_yet}."] * bool(
        not_yet
    )
    return " ".join(parts + partly)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _folded(numbers: str) -> str:
    if not numbers:
        return ""
    shown = _raw(_html(numbers))
    # Nobody searches for these numbers, and they would fill a fifth of the search index.
    return f":::{{dropdown}} The numbers\n:class-container: no-search\n{shown}\n:::"


def _html(text: str) -> str:
    """Markdown tables, separated by empty lines, as HTML."""
    return "".join(_table(part).html() for part in text.split("\n\n") if part.strip())


def _table(text: str) -> Table:
    heads, _, *rows = [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in text.splitlines()
    ]
    return Table(heads, rows)


def _raw(html: str) -> str:
    return f"```{{raw}} html\n{html}\n```" if html.strip() else ""


def read_pins(path: Path) -> dict[str, str]:
    """The versions that a constraints file pins."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    matches = (re.match(r"([\w.-]+)==([^\s;]+)", line) for line in lines)
    return {match[1].lower(): match[2] for match in matches if match}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and where results and pinned versions are."""
    folder = ROOT / "benchmarks" / "published"
    app.add_config_value("results_folder", str(folder), "env")
    # A folder cannot be a dependency; a file that is new or gone shows in this value instead.
    app.add_config_value("results_files", sorted(p.name for p in folder.glob("*.json")), "env")
    app.add_config_value("results_pins", read_pins(ROOT / "constraints.txt"), "env")
    app.add_directive("results", TopicDirective)
    app.add_directive("results-by-topic", TopicsOfPartDirective)
    app.add_directive("results-of", PartDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
