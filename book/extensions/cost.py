"""Numbers of the published results on a topic's page.

The role ``{measured}`` is a number in a sentence, in the words of ``benchmarks.report.lookup``::

    {measured}`time branching.select_cond 65536 jax`
    {measured}`share branching.expensive_cond/branching.expensive_where 65536 torch`

The directive ``{cost}`` is the figure of *What it costs*. Its argument is the caption.
Each line of its body is a bar for both frameworks, ``label: function size [mode]``; the mode is
``compiled`` where none is given, and can be ``eager``, ``first call`` or ``new shape``. A line that
begins with ``#`` begins a panel with its own scale::

    ```{cost} One branch multiplies matrices eight times.
    # One matrix
    cond: branching.expensive_cond 65536
    where: branching.expensive_where 65536
    ```

Both read the first of the published files. A missing number is a warning.
"""

from collections.abc import Iterable
from contextlib import suppress
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from benchmarks.report import lookup, provenance
from benchmarks.report.files import read_all
from benchmarks.report.rows import TRUST, ratio
from benchmarks.report.schema import Results
from extensions.bars import Bar, figure, panel
from jaxvstorch._frameworks import FRAMEWORKS, TITLES
from jaxvstorch._measure.durations import seconds

logger = logging.getLogger(__name__)


def published(env: BuildEnvironment) -> Results:
    """The first of the published files; the page is read again when it changes.

    Raises:
        LookupError: there is none.
    """
    folder = Path(env.config.results_folder)
    for path in folder.glob("*.json"):
        env.note_dependency(str(path))
    results, _ = read_all(folder)
    if not results:
        raise LookupError(f"no results are published in {folder}")
    return next(iter(results.values()))


class MeasuredRole(SphinxRole):
    """A number in a sentence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The number as text."""
        try:
            text = lookup.number(published(self.env), self.text)
        except LookupError as error:
            logger.warning(str(error), location=self.get_location())
            text = self.text
        return [nodes.Text(text)], []


class CostDirective(SphinxDirective):
    """The figure of *What it costs*."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """One figure, in HTML."""
        try:
            results = published(self.env)
            panels = [_panel(results, title, lines) for title, lines in _panels(self.content)]
        except LookupError as error:
            logger.warning(str(error), location=self.get_location())
            return []
        page = self.env.docname
        link = f"{'../' * page.count('/')}reference/results.html"
        caption = f"{escape(self.arguments[0])} {escape(_source(results))}."
        caption += _faster_without(results, self.content)
        caption += f' <a class="reference internal" href="{link}">All results</a>'
        return [nodes.raw("", figure(panels, caption), format="html")]


def _panels(lines: list[str]) -> list[tuple[str, list[str]]]:
    panels: list[tuple[str, list[str]]] = []
    for line in filter(None, map(str.strip, lines)):
        if line.startswith("#"):
            panels.append((line.lstrip("# "), []))
        else:
            panels = panels or [("", [])]
            panels[-1][1].append(line)
    return panels


def _panel(results: Results, title: str, lines: list[str]) -> str:
    bars = []
    for framework in FRAMEWORKS:
        for position, line in enumerate(lines):
            label, _, wanted = line.rpartition(": ")
            function, size, *mode = wanted.split(" ", 2)
            if not size.isdecimal():
                raise LookupError(f"`label: function size [mode]` is expected, not {line!r}")
            time = lookup.time(
                results, function, int(size), framework, mode[0] if mode else "compiled"
            )
            group = TITLES[framework] if position == 0 else ""
            bars.append(Bar(label, framework, time, seconds(time), group, pale=position % 2 == 1))
    return panel(title, bars)


def _faster_without(results: Results, lines: Iterable[str]) -> str:
    """For which functions of the figure a call without the compiler took less in every session."""
    wanted = [line.rpartition(": ")[2].split(" ", 2) for line in lines if ": " in line]
    sentences = []
    for framework in FRAMEWORKS:
        names = []
        for function, size, *mode in wanted:
            if mode and mode != ["compiled"]:
                continue
            with suppress(LookupError):  # it was not timed without the compiler
                timings = [
                    lookup.find(results, function, int(size), framework, m)
                    for m in ("compiled", "eager")
                ]
                faster = ratio(*timings)
                if faster and faster.sessions > 1 and faster.low > 1 + TRUST:
                    names.append(f"<code>{escape(function.partition('.')[2])}</code>")
        if names:
            of = ", ".join(dict.fromkeys(names))
            sentences.append(f" Without the compiler {TITLES[framework]} took less for {of}.")
    return "".join(sentences)


def _source(results: Results) -> str:
    versions = " and ".join(f"{TITLES[n]} {results.versions[n]}" for n in FRAMEWORKS)
    dtype = results.settings.get("dtype", "")
    return f"{provenance.label(results)}, {dtype}; {versions}; {results.date[:10]}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the role and the directive; ``extensions.results`` says where the files are."""
    app.setup_extension("extensions.results")
    app.add_role("measured", MeasuredRole())
    app.add_directive("cost", CostDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
