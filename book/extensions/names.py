"""The directive ``{names}``: the map of names, with a filter that works as one types.

Every name has an address, ``names.html#torch.gather``. Without JavaScript the page is the whole
list, in which a name opens by a click.
"""

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._port.map.entry import NameEntry, entry
from jaxvstorch._port.map.rows import FOLDER, groups
from jaxvstorch._port.map.verdict import (
    BUT,
    FILE,
    KINDS,
    NOTHING,
    SAME,
    NameDifference,
    NameProbe,
    verdicts,
)

_SHORT = {SAME: "same", BUT: "but", NOTHING: "none"}
_SAID = {SAME: SAME, BUT: "the same, but for what is listed", NOTHING: NOTHING}


class NamesDirective(SphinxDirective):
    """The whole map: a filter, and the names in groups under a heading each."""

    def run(self) -> list[nodes.Node]:
        """The filter, then a section for each group."""
        for path in (FILE, *FOLDER.glob("*.txt")):
            self.env.note_dependency(str(path))
        found: list[nodes.Node] = [nodes.raw("", _filter(), format="html")]
        for title, rows in groups().items():
            heading = title.rstrip(".")
            section = nodes.section("", nodes.title("", heading), ids=[nodes.make_id(heading)])
            section += _raw("".join(_name(entry(row)) for row in rows))
            found.append(section)
        return found


class CountDirective(SphinxDirective):
    """How many names there are, by verdict, as a sentence."""

    def run(self) -> list[nodes.Node]:
        """One paragraph."""
        return self.parse_text_to_nodes(counted())


def counted() -> str:
    """How many names there are, and what was found of them."""
    found = [entry(row) for rows in groups().values() for row in rows]
    by = {verdict: sum(one.verdict == verdict for one in found) for verdict in _SHORT}
    versions = verdicts().versions
    calls = sum(one.calls for one in found if not one.form_of)
    return (
        f"The map has {len(found):,} names. {by[SAME]} gave the same in both frameworks in every "
        f"call that was tried, {by[BUT]} did but for what is listed with them, and {by[NOTHING]} "
        f"are done otherwise: for these it says what people do. {calls:,} calls were tried, with "
        f"JAX {versions['jax']} and PyTorch {versions['torch']}."
    )


def markdown() -> str:
    """The map as tables, for programs that read."""
    parts = []
    for title, rows in groups().items():
        parts += [f"## {title.rstrip('.')}", "", "| PyTorch | JAX | differs |", "|---|---|---|"]
        for one in map(entry, rows):
            theirs = f"`{_cell(one.jax)}`" if one.jax else f"{NOTHING}: {_cell(one.instead or '')}"
            ours = f"`{one.name}`, a form of `{one.torch}`" if one.form_of else f"`{one.torch}`"
            parts.append(f"| {ours} | {theirs} | {'; '.join(one.kinds)} |")
        parts.append("")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _raw(html: str) -> nodes.raw:
    # The filter finds names; in the book's own search a thousand of them would hide the pages.
    return nodes.raw("", html, format="html", classes=["no-search"])


def _filter() -> str:
    verdicts = "".join(
        f'<option value="{short}">{escape(_SAID[verdict])}</option>'
        for verdict, short in _SHORT.items()
    )
    kinds = sorted({k for rows in groups().values() for row in rows for k in entry(row).kinds})
    options = "".join(f'<option value="{escape(kind)}">{escape(kind)}</option>' for kind in kinds)
    return f"""<form class="names-filter" role="search" aria-label="Names">
<label>Name <input type="search" name="name" placeholder="gather or jnp.where"
autocomplete="off" spellcheck="false"></label>
<label>Verdict <select name="verdict"><option value="">any</option>{verdicts}</select></label>
<label>What differs <select name="kind"><option value="">anything</option>{options}</select></label>
<output></output>
</form>"""


def _name(one: NameEntry) -> str:
    """A line of the list: a name that opens, or one that is done otherwise."""
    also = " ".join((one.name, *one.first_names)).lower()
    data = f'id="{escape(one.name)}" data-kinds="{escape("|".join(one.kinds))}" '
    data += f'data-also="{escape(also)}"'
    ours = f"{one.name}, a form of {one.form_of}" if one.form_of else one.torch
    ours = f'<code class="torch">{escape(ours)}</code>'
    if one.instead:
        theirs = f"<span>Done otherwise: {_code(one.instead)}.</span>"
        return f'<div class="name none" {data}>{ours} {theirs}</div>\n'
    theirs = f'<code class="jax">{escape(one.jax or "")}</code>'
    differs = f'<span class="differs">{escape(", ".join(one.kinds))}</span>' if one.kinds else ""
    return (
        f'<details class="name {_SHORT[one.verdict]}" {data}>'
        f"<summary>{ours} {theirs} {differs}</summary>{''.join(_body(one))}</details>\n"
    )


def _body(one: NameEntry) -> list[str]:
    parts = []
    if one.changes_its_array:
        parts.append("<p>PyTorch changes its array; in JAX, assign the result.</p>")
    if one.form_of:
        target = escape(one.form_of)
        found = [_difference(seen, target) for seen in one.form_differs]
        link = f'What differs from JAX stands at <a href="#{target}"><code>{target}</code></a>.'
        return [*parts, f"<p>{link}</p>", _list(found)]
    for label, text in (("Weights", one.weights), ("As a plain function", one.plain)):
        if text:
            parts.append(f"<p>{label}: <code>{escape(text)}</code></p>")
    if one.refused:
        refused = ", ".join(f"<code>{escape(name)}</code>" for name in one.refused)
        parts.append(f"<p>Missing in the line, which is for the default: {refused}.</p>")
    parts.append(f"<p>{one.agreed} of {one.calls} calls gave the same.</p>")
    found = [_difference(seen, "JAX") for seen in one.differences if seen.kind != "refused"]
    found += [_probe(probe) for probe in one.probes if probe.line_differs]
    parts.append(_list(found))
    first = [_difference(seen, "this") for seen in one.first_differs]
    if one.first:
        parts.append(f"<p>Not <code>{escape(one.first)}</code>:</p>{_list(first)}")
    if cured := [_probe(probe) for probe in one.probes if not probe.line_differs]:
        parts.append(
            f"<p>What people write first, where the line above is right:</p>{_list(cured)}"
        )
    if one.paste:
        source = escape("\n\n\n".join((one.imports, *one.paste.values())))
        parts.append(f'<div class="highlight"><pre tabindex="0">{source}</pre></div>')
    return parts


def _list(items: list[str]) -> str:
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _difference(seen: NameDifference, other: str) -> str:
    said = escape(KINDS[seen.kind])
    times = f" ({seen.times} calls)" if seen.times > 1 else ""
    return (
        f"<li>{said}{times}: <code>({escape(seen.call)})</code> gives "
        f"<code>{escape(seen.torch)}</code>; {other}: <code>{escape(seen.jax)}</code></li>"
    )


def _probe(probe: NameProbe) -> str:
    both = [(probe.torch, probe.torch_value), (probe.jax, probe.jax_value)]
    if probe.line_value and probe.line_value not in (probe.torch_value, probe.jax_value):
        both.append(("the line above", probe.line_value))
    said = "; ".join(f"<code>{escape(x)}</code> gives <code>{escape(y)}</code>" for x, y in both)
    return f"<li>{escape(probe.kind)}: {said}</li>"


def _code(text: str) -> str:
    """Text with what stands in backquotes as code."""
    parts = text.split("`")
    return "".join(
        f"<code>{escape(part)}</code>" if i % 2 else escape(part) for i, part in enumerate(parts)
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives, and what the page needs."""
    app.add_directive("names", NamesDirective)
    app.add_directive("names-counted", CountDirective)
    app.add_js_file("names.js", loading_method="defer")
    app.add_css_file("names.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
