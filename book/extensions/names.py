"""The directive ``{names}``: the map of names, with a filter that works as one types.

Every name has an address, ``names.html#torch.gather``. Without JavaScript the page is the whole
list, in which a name opens by a click.
"""

from collections import Counter
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._port.map.entry import NameEntry, entry_of
from jaxvstorch._port.map.rows import FOLDER, groups
from jaxvstorch._port.map.verdict import (
    FILE,
    KINDS,
    Agreement,
    NameDifference,
    NameProbe,
    verdicts,
)
from jaxvstorch._table import with_code

_CLASSES: dict[str, str] = {
    Agreement.SAME: "same",
    Agreement.EXCEPT: "but",
    Agreement.NO_COUNTERPART: "none",
}


class NamesDirective(SphinxDirective):
    """The whole map: a filter, and the names in groups under a heading each."""

    def run(self) -> list[nodes.Node]:
        """The filter, then a section for each group."""
        for path in (FILE, *FOLDER.glob("*.txt")):
            self.env.note_dependency(str(path))
        content: list[nodes.Node] = [nodes.raw("", _filter(), format="html")]
        for title, rows in groups().items():
            heading = title.rstrip(".")
            section = nodes.section("", nodes.title("", heading), ids=[nodes.make_id(heading)])
            section += _raw("".join(_name(entry_of(row)) for row in rows))
            content.append(section)
        return content


class CountDirective(SphinxDirective):
    """How many names there are, by verdict, as a sentence."""

    def run(self) -> list[nodes.Node]:
        """One paragraph."""
        return self.parse_text_to_nodes(counted())


def counted() -> str:
    """How many names there are, and how many of them agree."""
    entries = [entry_of(row) for rows in groups().values() for row in rows]
    counts = Counter(entry.verdict for entry in entries)
    versions = verdicts().versions
    calls = sum(entry.calls for entry in entries if not entry.form_of)
    return (
        f"The map has {len(entries):,} names. {counts[Agreement.SAME]} gave the same result in "
        f"both frameworks in every call tried, {counts[Agreement.EXCEPT]} did except for what "
        f"is listed with them, and {counts[Agreement.NO_COUNTERPART]} are done another way: for "
        f"these the map says what people do. {calls:,} calls were tried, with JAX "
        f"{versions['jax']} and PyTorch {versions['torch']}."
    )


def markdown() -> str:
    """The map as tables, for programs that read."""
    parts = []
    for title, rows in groups().items():
        parts += [f"## {title.rstrip('.')}", "", "| PyTorch | JAX | differs |", "|---|---|---|"]
        for entry in map(entry_of, rows):
            ours = f"`{entry.torch}`"
            if entry.form_of:
                ours = f"`{entry.name}`, a form of {ours}"
            theirs = f"`{_cell(entry.jax or '')}`"
            if entry.instead:
                theirs = f"{entry.verdict}: {_cell(entry.instead)}"
            parts.append(f"| {ours} | {theirs} | {'; '.join(entry.kinds)} |")
        parts.append("")
    return "\n".join(parts)


def found_names() -> list[tuple[str, str]]:
    """Each name, and what a search should find it by."""
    entries = [entry_of(row) for rows in groups().values() for row in rows]
    return [(e.name, f"{e.name}: {e.jax or e.instead} {'; '.join(e.kinds)}") for e in entries]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _raw(html: str) -> nodes.raw:
    # The filter finds names; in the book's own search a thousand of them would hide the pages.
    return nodes.raw("", html, format="html", classes=["no-search"])


def _filter() -> str:
    labels = {agreement: str(agreement) for agreement in Agreement}
    labels[Agreement.EXCEPT] = "the same, except for what is listed"
    verdicts = "".join(
        f'<option value="{_CLASSES[agreement]}">{escape(label)}</option>'
        for agreement, label in labels.items()
    )
    kinds = sorted({k for rows in groups().values() for row in rows for k in entry_of(row).kinds})
    options = "".join(f'<option value="{escape(kind)}">{escape(kind)}</option>' for kind in kinds)
    return f"""<form class="names-filter" role="search" aria-label="Names">
<label>Name <input type="search" name="name" placeholder="gather or jnp.where"
autocomplete="off" spellcheck="false"></label>
<label>Verdict <select name="verdict"><option value="">any</option>{verdicts}</select></label>
<label>What differs <select name="kind"><option value="">anything</option>{options}</select></label>
<output></output>
</form>"""


def _name(entry: NameEntry) -> str:
    """A line of the list: a name that opens, or one without counterpart."""
    also = " ".join((entry.name, *entry.first_names)).lower()
    data = f'id="{escape(entry.name)}" data-kinds="{escape("|".join(entry.kinds))}" '
    data += f'data-also="{escape(also)}"'
    ours = f"{entry.name}, a form of {entry.form_of}" if entry.form_of else entry.torch
    ours = f'<code class="torch">{escape(ours)}</code>'
    if entry.instead:
        theirs = f"<span>Done another way: {with_code(entry.instead)}.</span>"
        return f'<div class="name none" {data}>{ours} {theirs}</div>\n'
    theirs = f'<code class="jax">{escape(entry.jax or "")}</code>'
    kinds = escape(", ".join(entry.kinds))
    differs = f'<span class="differs">{kinds}</span>' if kinds else ""
    return (
        f'<details class="name {_CLASSES[entry.verdict]}" {data}>'
        f"<summary>{ours} {theirs} {differs}</summary>{''.join(_body(entry))}</details>\n"
    )


def _body(entry: NameEntry) -> list[str]:
    parts = []
    if entry.changes_its_array:
        parts.append("<p>PyTorch changes its array; in JAX, assign the result.</p>")
    if entry.form_of:
        target = escape(entry.form_of)
        differences = [_item(difference, target) for difference in entry.form_differs]
        link = f'What differs from JAX is at <a href="#{target}"><code>{target}</code></a>.'
        return [*parts, f"<p>{link}</p>", _list(differences)]
    texts = {
        "Weights": entry.weights,
        "As a plain function": entry.plain,
        "To begin with weights such as PyTorch's, add": entry.begins,
    }
    for label, text in texts.items():
        if text:
            parts.append(f"<p>{label}: <code>{escape(text)}</code></p>")
    if entry.refused:
        refused = ", ".join(f"<code>{escape(name)}</code>" for name in entry.refused)
        parts.append(f"<p>Missing in the line, which uses the default: {refused}.</p>")
    tried = escape(", ".join(entry.tried))
    parts.append(f"<p>{entry.agreed} of {entry.calls} calls gave the same result: {tried}.</p>")
    differences = [_item(d, "JAX") for d in entry.differences if d.kind != "refused"]
    differences += [_probe(probe) for probe in entry.probes if probe.line_differs]
    parts.append(_list(differences))
    first = [_item(difference, "this") for difference in entry.first_differs]
    if entry.first:
        parts.append(f"<p>Not <code>{escape(entry.first)}</code>:</p>{_list(first)}")
    if avoided := [_probe(probe) for probe in entry.probes if not probe.line_differs]:
        parts.append(
            f"<p>What people write first, where the line above is right:</p>{_list(avoided)}"
        )
    if entry.paste:
        source = escape("\n\n\n".join((entry.imports, *entry.paste.values())))
        parts.append(f'<div class="highlight"><pre tabindex="0">{source}</pre></div>')
    return parts


def _list(items: list[str]) -> str:
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _item(difference: NameDifference, other: str) -> str:
    meaning = escape(KINDS[difference.kind])
    times = f" ({difference.times} calls)" if difference.times > 1 else ""
    return (
        f"<li>{meaning}{times}: <code>({escape(difference.call)})</code> gives "
        f"<code>{escape(difference.torch)}</code>; {other}: "
        f"<code>{escape(difference.jax)}</code></li>"
    )


def _probe(probe: NameProbe) -> str:
    values = [(probe.torch, probe.torch_value), (probe.jax, probe.jax_value)]
    if probe.line_value and probe.line_value not in (probe.torch_value, probe.jax_value):
        values.append(("the line above", probe.line_value))
    results = "; ".join(
        f"<code>{escape(expression)}</code> gives <code>{escape(value)}</code>"
        for expression, value in values
    )
    return f"<li>{escape(probe.kind)}: {results}</li>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and what the page needs."""
    app.add_directive("names", NamesDirective)
    app.add_directive("names-counted", CountDirective)
    app.add_js_file("names.js", loading_method="defer")
    app.add_css_file("names.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
