"""The directive ``{names}``: the map of names, with a field that finds names as one types.

Every name has an address here, ``names.html#torch.gather``, and a page of its own, to which its
line leads. Without JavaScript the page is the whole list.
"""

import json
from collections import Counter
from functools import cache
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from extensions.name_pages import address
from jaxvstorch._frameworks import TITLES
from jaxvstorch._port.map.entry import NameEntry, entry_of
from jaxvstorch._port.map.kinds import MEANINGS
from jaxvstorch._port.map.lookup import tables
from jaxvstorch._port.map.rows import FOLDER, Rows, jax_rows, rows
from jaxvstorch._port.map.verdict import FILE, Agreement, verdicts
from jaxvstorch._table import with_code

_CLASSES: dict[str, str] = {
    Agreement.SAME: "same",
    Agreement.EXCEPT: "but",
    Agreement.NO_COUNTERPART: "none",
}


class NamesDirective(SphinxDirective):
    """The whole map: a field and its answers, and the names in groups under a heading each."""

    def run(self) -> list[nodes.Node]:
        """The field, then a section for each framework and group."""
        for path in (FILE, *FOLDER.rglob("*.txt")):
            self.env.note_dependency(str(path))
        content: list[nodes.Node] = [nodes.raw("", _filter(), format="html")]
        for framework, of_framework in _frameworks().items():
            title = f"{TITLES[framework]}'s names"
            section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)])
            for heading, names in of_framework.groups().items():
                section += _group(framework, heading.rstrip("."), names)
            content.append(section)
        return content


def _group(framework: str, heading: str, names: list[str]) -> nodes.section:
    ids = [nodes.make_id(f"{framework} {heading}")]
    section = nodes.section("", nodes.title("", heading), ids=ids)
    lines = "".join(_line(entries()[name]) for name in names)
    # The field finds names; in the book's own search thousands of them would hide the pages.
    section += nodes.raw("", lines, format="html", classes=["no-search"])
    return section


class CountDirective(SphinxDirective):
    """How many names there are, by verdict, as a sentence."""

    def run(self) -> list[nodes.Node]:
        """One paragraph."""
        return self.parse_text_to_nodes(counted())


class KindsDirective(SphinxDirective):
    """The words for what differs that are not plain, with their meanings."""

    def run(self) -> list[nodes.Node]:
        """A list."""
        content = [
            nodes.list_item("", *self.parse_text_to_nodes(item)) for item in explained_kinds()
        ]
        return [nodes.bullet_list("", *content)]


def explained_kinds() -> list[str]:
    """The words for what differs that are not plain, each with its meaning, in Markdown."""
    return [f"*{word}*: {meaning}." for word, meaning in MEANINGS.items()]


def _frameworks() -> dict[str, Rows]:
    return {"torch": rows(), "jax": jax_rows()}


@cache
def entries() -> dict[str, NameEntry]:
    """What the map knows, by name."""
    every = [*rows().values(), *jax_rows().values()]
    return {row.name: entry_of(row) for row in every}


def counted() -> str:
    """How many names there are, and how many of them agree."""
    counts = Counter(entry.verdict for entry in entries().values())
    versions = verdicts().versions
    calls = sum(entry.calls for entry in entries().values() if not entry.form_of)
    return (
        f"The map has {len(rows()):,} names of PyTorch and {len(jax_rows()):,} of JAX. "
        f"{counts[Agreement.SAME]:,} gave the same result in every call tried that both accept, "
        f"{counts[Agreement.EXCEPT]:,} did except for what is listed with them, and "
        f"{counts[Agreement.NO_COUNTERPART]:,} are done another way: for these the map says what "
        f"people do. {calls:,} calls were tried, with JAX {versions['jax']} and PyTorch "
        f"{versions['torch']}."
    )


def markdown(site: str) -> str:
    """The map as tables, for programs that read."""
    parts = []
    for framework, of_framework in _frameworks().items():
        heads = TITLES if framework == "torch" else dict(reversed(TITLES.items()))
        own, other = sorted(heads, key=lambda name: name != framework)
        for title, names in of_framework.groups().items():
            head = f"| {TITLES[own]} | {TITLES[other]} | differs |"
            parts += [f"## {title.rstrip('.')}", "", head, "|---|---|---|"]
            for entry in map(entries().__getitem__, names):
                ours = f"[`{_cell(entry.name if entry.form_of else entry.call)}`]"
                ours += f"({site}{address(entry.name)})"
                if entry.form_of:
                    ours += f", a form of `{entry.form_of}`"
                theirs = f"`{_cell(entry.counterpart or '')}`"
                if entry.instead:
                    theirs = f"{entry.verdict}: {_cell(entry.instead)}"
                parts.append(f"| {ours} | {theirs} | {'; '.join(entry.kinds)} |")
            parts.append("")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _filter() -> str:
    labels = {agreement: str(agreement) for agreement in Agreement}
    labels[Agreement.EXCEPT] = "the same, except for what is listed"
    verdicts = "".join(
        f'<option value="{_CLASSES[agreement]}">{escape(label)}</option>'
        for agreement, label in labels.items()
    )
    kinds = sorted({kind for entry in entries().values() for kind in entry.kinds})
    options = "".join(
        f'<option title="{escape(MEANINGS.get(kind, ""))}">{escape(kind)}</option>'
        for kind in kinds
    )
    frameworks = "".join(f'<option value="{f}">{TITLES[f]}</option>' for f in _frameworks())
    return f"""<form class="names-filter" role="search" aria-label="Names">
<label class="wide">Name <input type="search" name="name"
placeholder="gather, x.view(2, 3), weight decay" autocomplete="off" spellcheck="false"></label>
<label>Of <select name="framework"><option value="">either</option>{frameworks}</select></label>
<label>Verdict <select name="verdict"><option value="">any</option>{verdicts}</select></label>
<label>What differs <select name="kind"><option value="">anything</option>{options}</select></label>
<output></output>
<p class="names-meaning" hidden></p>
<p class="names-none" role="status" hidden></p>
</form>
<div class="names-answers" hidden></div>
<script type="application/json" id="names-asking">{_asking()}</script>"""


def _asking() -> str:
    """What the page looks a question up in: the tables of the command."""
    asking = tables()
    by_page = {"rules": asking.rules, "asked": asking.asked, "owners": asking.owners}
    by_page |= {"methodOwners": asking.method_owners, "kin": asking.kin}
    return json.dumps(by_page, separators=(",", ":")).replace("<", "\\u003c")


def _line(entry: NameEntry) -> str:
    """A line of the list, which leads to the name's page."""
    data = f'id="{escape(entry.name)}" data-kinds="{escape("|".join(entry.kinds))}" '
    data += f'data-of="{entry.framework}"'
    other = "jax" if entry.framework == "torch" else "torch"
    ours = f"{entry.name}, a form of {entry.form_of}" if entry.form_of else entry.call
    ours = (
        f'<a href="{address(entry.name)}"><code class="{entry.framework}">{escape(ours)}</code></a>'
    )
    if entry.instead:
        theirs = f"<span>Done another way: {with_code(entry.instead)}.</span>"
    else:
        theirs = f'<code class="{other}">{escape(entry.counterpart or "")}</code>'
    kinds = escape(", ".join(entry.kinds))
    differs = f'<span class="differs">{kinds}</span>' if kinds else ""
    return f'<div class="name {_CLASSES[entry.verdict]}" {data}>{ours} {theirs} {differs}</div>\n'


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and what the page needs."""
    app.add_directive("names", NamesDirective)
    app.add_directive("names-counted", CountDirective)
    app.add_directive("names-kinds", KindsDirective)
    app.add_js_file("names.js", loading_method="defer")
    app.add_css_file("names.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
