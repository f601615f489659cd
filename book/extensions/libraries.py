"""The directive ``{libraries} TASK…``: what is in the box and what is a library, task by task.

``libraries.toml`` says which libraries there are for a task; ``releases.json``, which
``nox -s releases`` writes, says what their last releases were when the package index was read.
``{libraries} said`` lists what maintainers say of a library's end, and ``{libraries} tried`` what
``tools/tried.py`` saw of some of them. All of it is Markdown, so that a page's notebook has it too.
"""

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FILES = [
    Path(__file__).parents[1] / name for name in ("libraries.toml", "releases.json", "tried.json")
]
_SIDES = ("jax", "torch")


def read() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """What is written about the libraries, what was read of their releases, and what was tried."""
    told, releases, tried = (path.read_text(encoding="utf-8") for path in FILES)
    return tomllib.loads(told), json.loads(releases), json.loads(tried)


def day(text: str) -> str:
    """``2026-03`` or ``2026-03-20`` as words: March 2026, 20 March 2026."""
    month = date.fromisoformat(text if len(text) > 7 else f"{text}-01")
    return f"{month:%B %Y}" if len(text) <= 7 else f"{month.day} {month:%B %Y}"


def markdown(*tasks: str) -> str:
    """A table for some tasks, or the list of what maintainers say.

    Raises:
        KeyError: there is no such task, or the index was not asked for one of its libraries.
    """
    told, found, tried = read()
    if tasks == ("said",):
        return "\n".join(
            _said(name, told["said"][name], found["releases"]) for name in told["said"]
        )
    if tasks == ("tried",):
        return "\n".join([*_tried(tried, found["releases"]), "", _with(tried)])
    rows = [row for task in tasks for row in _rows(told[task], found["releases"], told["said"])]
    read_on = (
        f"Version and month of the last release on the package index, as of {day(found['read'])}."
    )
    return "\n".join(["| JAX | PyTorch |", "|---|---|", *rows, "", read_on])


def _rows(task: dict[str, Any], releases: dict[str, Any], said: dict[str, Any]) -> list[str]:
    box = [task[f"{side}-box"] for side in _SIDES]
    listed = [
        "<br>".join(_library(name, releases[name], name in said) for name in task[side])
        for side in _SIDES
    ]
    cells = [f"*In the box:* {told}<br>{names}" for told, names in zip(box, listed, strict=True)]
    return [f"| **{task['title']}** | |", f"| {' | '.join(cells)} |"]


def _library(name: str, release: dict[str, str], is_over: bool) -> str:
    mark = " †" if is_over else ""
    month = release["released"].replace("-", "\N{NON-BREAKING HYPHEN}")
    return f"**{name}**{mark} {release['version']}, {month}"


def _said(name: str, said: dict[str, str], releases: dict[str, Any]) -> str:
    release = releases[name]
    source = f"[{said['where']}]({said['url']}), as of {day(said['dated'])}"
    also = f" {said['also']}" if "also" in said else ""
    last = f"{release['version']}, {day(release['released'])}"
    return f"- **{name}**: “{said['quote']}” ({source}).{also} Last release: {last}."


def _tried(tried: dict[str, Any], releases: dict[str, Any]) -> list[str]:
    return [
        f"- **{name}** {one['version']}, {day(releases[name]['released'])}: {one['tried']}, "
        + (f"`{one['error']}`" if one["error"] else "runs.")
        for name, one in tried["found"].items()
    ]


def _with(tried: dict[str, Any]) -> str:
    versions = " and ".join(f"{name} {number}" for name, number in tried["with"].items())
    return f"Tried on {day(tried['tried'])} with {versions}, each library alone."


class LibrariesDirective(SphinxDirective):
    """Shows a table, or what maintainers say."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """What the Markdown makes, in a box for the style sheet."""
        for path in FILES:
            self.env.note_dependency(str(path))
        try:
            text = markdown(*self.arguments[0].split())
        except KeyError as error:
            raise self.error(f"there is nothing about {error} in {FILES[0]}") from None
        return [nodes.container("", *self.parse_text_to_nodes(text), classes=["libraries"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("libraries", LibrariesDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
