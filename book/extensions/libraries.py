"""The directive ``{libraries} TASK…``: what is built in and what is a library, task by task.

``libraries.toml`` says which libraries there are for a task, what and where each one is, and what
its last release was when the package index was read. ``{libraries} said`` lists what maintainers
say of a library's end, and ``{libraries} tried`` what some old ones do with today's frameworks. All
of it is Markdown, so that a page's notebook has it too.
"""

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FILE = Path(__file__).parents[1] / "libraries.toml"
_SIDES = ("jax", "torch")


def read() -> dict[str, Any]:
    """All that is known of the libraries."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def day(text: str) -> str:
    """``2026-03`` or ``2026-03-20`` as words: March 2026, 20 March 2026."""
    month = date.fromisoformat(text if len(text) > 7 else f"{text}-01")
    return f"{month:%B %Y}" if len(text) <= 7 else f"{month.day} {month:%B %Y}"


def markdown(*tasks: str) -> str:
    """A table for some tasks, or the list of what maintainers say.

    Raises:
        KeyError: there is no such task, or nothing is known of one of its libraries.
    """
    known = read()
    if tasks == ("said",):
        return "\n".join(_quote(name, known) for name in known["said"])
    if tasks == ("tried",):
        return "\n".join([*_trials(known), "", _with(known["tried"])])
    rows = [row for task in tasks for row in _rows(known[task], known)]
    as_of = (
        f"Version and month of the last release on the package index, as of {day(known['read'])}."
    )
    return "\n".join(["| JAX | PyTorch |", "|---|---|", *rows, "", as_of])


def _rows(task: dict[str, Any], known: dict[str, Any]) -> list[str]:
    listed = ["<br>".join(_library(name, known) for name in task[side]) for side in _SIDES]
    boxes = [task[f"{side}-box"] for side in _SIDES]
    cells = [f"*Built in:* {box}<br>{names}" for box, names in zip(boxes, listed, strict=True)]
    return [f"| **{task['title']}** | |", f"| {' | '.join(cells)} |"]


def _library(name: str, known: dict[str, Any]) -> str:
    mark = " †" if name in known["said"] else ""
    words, _ = known["about"][name]
    version, month = known["releases"][name]
    month = month.replace("-", chr(0x2011))  # does not break
    return f"{_link(name, known)}{mark}: {words}, {version}, {month}"


def _link(name: str, known: dict[str, Any]) -> str:
    _, url = known["about"][name]
    return f"[{name}]({url})"


def _quote(name: str, known: dict[str, Any]) -> str:
    quote, (version, month) = known["said"][name], known["releases"][name]
    source = f"[{quote['where']}]({quote['url']}), as of {day(quote['dated'])}"
    also = f" {quote['also']}" if "also" in quote else ""
    last = f"{version}, {day(month)}"
    return f"- **{_link(name, known)}**: “{quote['quote']}” ({source}).{also} Last release: {last}."


def _trials(known: dict[str, Any]) -> list[str]:
    lines = []
    for library in known["tried"]["libraries"]:
        link = _link(library["name"], known)
        version, month = known["releases"][library["name"]]
        ended = f"`{library['error']}`" if "error" in library else "runs."
        lines.append(f"- **{link}** {version}, {day(month)}: {library['tried']}, {ended}")
    return lines


def _with(tried: dict[str, Any]) -> str:
    return f"Tried on {day(tried['date'])} with {tried['with']}, each library alone."


class LibrariesDirective(SphinxDirective):
    """Shows a table, or what maintainers say."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """What the Markdown makes, in a box for the style sheet."""
        self.env.note_dependency(str(FILE))
        try:
            text = markdown(*self.arguments[0].split())
        except KeyError as error:
            raise self.error(f"there is nothing about {error} in {FILE}") from None
        return [nodes.container("", *self.parse_text_to_nodes(text), classes=["libraries"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("libraries", LibrariesDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
