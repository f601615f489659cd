"""The directive ``{libraries} TASK…``: what is built in and what is a library, task by task.

``libraries.toml`` says which libraries there are for a task, what and where each one is, and what
its last release was when the package index was read. ``{libraries} said`` lists what maintainers
say of a library's end, and ``{libraries} tried`` what some old ones do with today's frameworks. All
of it is Markdown, so that a page's notebook has it too, and lists, which a phone has room for.
"""

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._frameworks import TITLES

FILE = Path(__file__).parents[1] / "libraries.toml"


def read() -> dict[str, Any]:
    """All that is known of the libraries."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def day(text: str) -> str:
    """``2026-03`` or ``2026-03-20`` as words: March 2026, 20 March 2026."""
    month = date.fromisoformat(text if len(text) > 7 else f"{text}-01")
    return f"{month:%B %Y}" if len(text) <= 7 else f"{month.day} {month:%B %Y}"


def markdown(*tasks: str) -> str:
    """What there is for some tasks, or the list of what maintainers say.

    Raises:
        KeyError: there is no such task, or nothing is known of one of its libraries.
    """
    known = read()
    if tasks == ("said",):
        return "\n".join(_quote(name, known) for name in known["said"])
    if tasks == ("tried",):
        return "\n".join([*_trials(known), "", _with(known["tried"])])
    lines = [line for task in tasks for line in _task(known[task], known)]
    return "\n".join([*lines, _months(known["read"])])


def _year_before(read: str) -> str:
    """The month a year before: of a release of that month or an older one the page says when."""
    return f"{int(read[:4]) - 1}{read[4:7]}"


def _months(read: str) -> str:
    oldest = day(_year_before(read))
    return f"As of {day(read)}; a month is that of a last release of {oldest} or before."


def _task(task: dict[str, Any], known: dict[str, Any]) -> list[str]:
    lines = [f"**{task['title']}**", ""]
    described: set[str] = set()
    for side, title in TITLES.items():
        names = ", ".join(_library(name, known, name in described) for name in task[side])
        described.update(task[side])
        lines.append(f"- **{title}.** *Built in:* {task[f'{side}-box']} {names}.")
    return [*lines, ""]


def _library(name: str, known: dict[str, Any], is_described: bool) -> str:
    mark = " †" if name in known["said"] else ""
    if is_described:
        return f"{_link(name, known)}{mark}"
    words, _ = known["about"][name]
    _, month = known["releases"][name]
    if month <= _year_before(known["read"]):
        words += f", {month.replace('-', chr(0x2011))}"  # does not break
    return f"{_link(name, known)}{mark} ({words})"


def _link(name: str, known: dict[str, Any]) -> str:
    _, url = known["about"][name]
    return f"[{name}]({url})"


def _quote(name: str, known: dict[str, Any]) -> str:
    quote = known["said"][name]
    source = f"[{quote['where']}]({quote['url']}), {day(quote['dated'][:7])}"
    also = f" {quote['also']}" if "also" in quote else ""
    return f"- **{_link(name, known)}**: “{quote['quote']}” ({source}).{also}"


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
    """Shows what there is for some tasks, or what maintainers say."""

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
