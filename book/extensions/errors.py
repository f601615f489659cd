"""A page for each entry of the index of errors, and ``{errors}``: the list of all, with a filter.

The code of every entry runs when the book is built, in a process for each framework, and its page
shows what it said. What was said is kept until the entries or the frameworks change.
"""

import hashlib
import json
import re
import subprocess
import sys
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._errors import trial
from jaxvstorch._errors.entry import INDEX, PRELUDE, Entry, entries
from jaxvstorch._frameworks import FRAMEWORKS, TITLES

FOLDER = "errors"
_TRIAL = Path(trial.__file__)
_LONGEST = 30  # lines of a message
_MEANING = re.compile(r"[\\*_<>\[\]{}$|#~]")  # what Markdown would read
# Code in a sentence: a dotted name of a library or an attribute, a call, a name with an underscore,
# an option. What follows a name may be attributes, indices and calls.
_ARGUMENTS = r"\((?:[^()]|\([^()]*\))*\)"
_AFTER = rf"(?:\.\w+|\[[^\]]*\]|{_ARGUMENTS})"
_LIBRARIES = "jax|jnp|lax|nnx|optax|eqx|flax|torch|nn|F|np|numpy|functools|os|sys"
_CODE_WORD = re.compile(
    rf"(?<![\w.`/-])(?:(?:{_LIBRARIES})\.\w+{_AFTER}*|\w*\.\w+{_ARGUMENTS}{_AFTER}*|"
    rf"[A-Za-z_]\w*(?:{_ARGUMENTS}|(?:\.\w+)*\[[^\]]*\]){_AFTER}*|"
    rf"(?:\w+\.)*\w+_\w*{_AFTER}*|@\w+(?:\.\w+)*)"
    r"(?:=[\w.\"'-]*\w[\"']?)?|\b[a-z]\w*=[\w.\"'-]*\w[\"']?"
)
_PAGE = """\
---
orphan: true
description: {description}
keywords: {keywords}
---
# {title}

**{why}**

{said}
## What to do

{cures}

{code}
{gives}
{links}
{older}"""


class ErrorsDirective(SphinxDirective):
    """The filter, and a line for each entry."""

    def run(self) -> list[nodes.Node]:
        """A section for each framework, in HTML; each title leads to the entry's page."""
        for path in INDEX.glob("*.toml"):
            self.env.note_dependency(str(path))
        content: list[nodes.Node] = [nodes.raw("", _filter(), format="html")]
        for framework in FRAMEWORKS:
            heading = TITLES[framework]
            section = nodes.section("", nodes.title("", heading), ids=[nodes.make_id(heading)])
            lines = "".join(_line(e) for e in entries().values() if e.framework == framework)
            section += nodes.raw("", lines, format="html", classes=["no-search"])
            content.append(section)
        return content


def markdown(site: str) -> str:
    """The titles of all entries as links, for programs that read."""
    parts = []
    for framework in FRAMEWORKS:
        parts += [f"## {TITLES[framework]}", ""]
        parts += [
            f"- [{_text(entry.title)}]({site}{FOLDER}/{entry.path}.html)"
            for entry in entries().values()
            if entry.framework == framework
        ]
        parts.append("")
    return "\n".join(parts)


def write_pages(app: Sphinx) -> None:
    """Write the pages' sources before Sphinx looks for them; those that did not change stay."""
    folder = Path(app.srcdir, FOLDER)
    said = _said(Path(app.doctreedir))
    pages = {entry.path: _page(entry, said.get(entry.path, {})) for entry in entries().values()}
    for path in folder.rglob("*.md"):
        if str(path.relative_to(folder).with_suffix("")) not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _said(folder: Path) -> dict[str, Any]:
    """What the code of each entry did, by the entry's path."""
    sources = [file.read_text(encoding="utf-8") for file in (*sorted(INDEX.glob("*.toml")), _TRIAL)]
    versions = [f"{name} {version(name)}" for name in FRAMEWORKS]
    known = hashlib.sha256("".join(sources + versions).encode()).hexdigest()
    kept = folder / f"errors-{known[:16]}.json"
    if not kept.exists():
        found: dict[str, Any] = {}
        for framework in FRAMEWORKS:
            command = [sys.executable, "-m", "jaxvstorch._errors.trial", framework]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise ExtensionError(f"the entries of {framework} did not run:\n{done.stderr}")
            found |= json.loads(done.stdout.splitlines()[-1])
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found), encoding="utf-8")
    return dict(json.loads(kept.read_text(encoding="utf-8")))


def _page(entry: Entry, said: dict[str, Any]) -> str:
    return _PAGE.format(
        description=json.dumps(entry.why),
        keywords=json.dumps(f"{entry.name.replace('-', ' ')}, {entry.error or entry.kind}"),
        title=_text(entry.title),
        why=sentence(entry.why),
        said=_message(entry, said),
        cures=_cures(entry),
        code=_code(entry, said.get("line", 0)) if entry.wrong else "",
        gives=_gives(entry),
        links=_links(entry),
        older=_older(entry),
    )


def _message(entry: Entry, said: dict[str, Any]) -> str:
    if entry.kind == "silence":
        return ""
    if not said and entry.wrong:
        return f"{TITLES[entry.framework]} {version(entry.framework)} says something else.\n"
    if not said:
        places = ", ".join(f"<{pattern.source}>" for pattern in entry.patterns)
        return (
            "This entry was not run, for it needs a GPU, several processes or another version. Its "
            f"words were read in public threads: {places}.\n"
        )
    what = f"{TITLES[entry.framework]} {version(entry.framework)}"
    lines = said["message"].splitlines()
    shown = "\n".join([*lines[:_LONGEST], *["…"] * (len(lines) > _LONGEST)])
    return f"{what} says:\n\n````text\n{shown}\n````\n"


def _cures(entry: Entry) -> str:
    if len(entry.cures) == 1:
        return sentence(entry.cures[0].text)
    cases = [(cure, f"If {cure.when}" if cure.when else "Otherwise") for cure in entry.cures]
    return "\n".join(f"- **{sentence(case)}:** {sentence(cure.text)}" for cure, case in cases)


def sentence(text: str) -> str:
    """The same for a sentence in words: its code is shown as code."""
    parts = text.split("`")
    marked = (
        part if number % 2 else _CODE_WORD.sub(r"`\g<0>`", part)
        for number, part in enumerate(parts)
    )
    return _text("`".join(marked))


def _text(text: str) -> str:
    """A sentence as Markdown, in which only backquotes have a meaning."""
    parts = text.split("`")
    return "`".join(
        part if number % 2 else _MEANING.sub(r"\\\g<0>", part) for number, part in enumerate(parts)
    )


def _code(entry: Entry, line: int) -> str:
    """Both pieces of code in tabs, which are columns on a wide page, as those of a pair."""
    mark = f":emphasize-lines: {line}\n" if line else ""
    halves = (("Wrong", mark, entry.wrong), ("Right", "", entry.right))
    tabs = "".join(
        f"````{{tab-item}} {title}\n```{{code-block}} python\n{option}\n{code}\n```\n````\n"
        for title, option, code in halves
    )
    prelude = "; ".join(PRELUDE[entry.framework].splitlines())
    return f"`````{{tab-set}}\n:class: pair\n{tabs}`````\n\nBoth begin with `{prelude}`."


def _gives(entry: Entry) -> str:
    if entry.kind == "silence":
        return f"The wrong code gives `{entry.instead}`, and the right code `{entry.gives}`.\n"
    return "" if entry.gives is None else f"The right code gives `{entry.gives}`.\n"


def _links(entry: Entry) -> str:
    twin = ""
    if entry.twin:
        other = entries()[entry.twin]
        twin = f" In {TITLES[other.framework]}: [{_text(other.title)}](../{other.path}.md)."
    page = f"{{doc}}`../../topics/{entry.page}` explains it." if entry.page else ""
    return f"{page}{twin}"


def _older(entry: Entry) -> str:
    older = [pattern for pattern in entry.patterns if pattern.source and pattern.before]
    if not older:
        return ""
    title = TITLES[entry.framework]
    lines = "\n".join(
        f"- before {title} {p.before}: `` {p.text} `` ([read here]({p.source}))" for p in older
    )
    return f"\n## In older versions\n\nThese words were read, and not run:\n\n{lines}\n"


def _filter() -> str:
    frameworks = "".join(f'<option value="{f}">{TITLES[f]}</option>' for f in FRAMEWORKS)
    kinds = "".join(f"<option>{kind}</option>" for kind in ("error", "warning", "silence"))
    return f"""<form class="names-filter" role="search" aria-label="Errors" data-what="entries">
<label>Message <input type="search" name="name" placeholder="boolean conversion"
autocomplete="off" spellcheck="false"></label>
<label>Framework <select name="verdict"><option value="">any</option>{frameworks}</select></label>
<label>Kind <select name="kind"><option value="">any</option>{kinds}</select></label>
<output></output>
</form>"""


def _line(entry: Entry) -> str:
    also = f"{entry.name} {entry.why} {' '.join(p.text for p in entry.patterns)}".lower()
    return (
        f'<div class="name {entry.framework}" id="{entry.path}" data-kinds="{entry.kind}" '
        f'data-also="{escape(also)}"><a href="{FOLDER}/{entry.path}.html">{escape(entry.title)}</a>'
        "</div>\n"
    )


def without_edit_button(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """The repository has no file for these pages."""
    if page.startswith(f"{FOLDER}/"):
        context["theme_use_edit_page_button"] = False


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, and the step before the pages are read."""
    app.add_directive("errors", ErrorsDirective)
    app.connect("builder-inited", write_pages)
    app.connect("html-page-context", without_edit_button, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
