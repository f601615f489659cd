"""What the page of a name says: the line to write, what differs, and where it is used."""

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from pathlib import Path

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer

from jaxvstorch import examples
from jaxvstorch._frameworks import TITLES
from jaxvstorch._pairs import source
from jaxvstorch._pairs.registry import topics
from jaxvstorch._port.map import kinds
from jaxvstorch._port.map.entry import CHANGED, NameEntry
from jaxvstorch._port.map.lookup import find
from jaxvstorch._port.map.recipes import NameRecipe
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, row_of, rows
from jaxvstorch._port.map.verdict import NameDifference, NameProbe
from jaxvstorch._table import Table, with_code

Link = Callable[[str], str]
_NEAR = 8  # names
_TOPICS = 3
_LONGEST = 40  # characters of an argument in the table


def summary(entry: NameEntry) -> str:
    """The answer in one sentence, for a search engine."""
    other = TITLES["jax" if entry.framework == "torch" else "torch"]
    if entry.instead:
        return f"{entry.name} has no counterpart in {other}: {entry.instead}."
    differs = f" What differs: {', '.join(entry.kinds)}." if entry.kinds else ""
    return f"{entry.name} in {other} is {entry.counterpart}.{differs}"


def html(entry: NameEntry, link: Link) -> str:
    """The page below its title.

    Args:
        entry: of the name.
        link: makes a name a link to its page.
    """
    return "\n".join(_parts(entry, link))


def _parts(entry: NameEntry, link: Link) -> Iterator[str]:
    own, other = TITLES[entry.framework], TITLES[_other(entry)]
    if entry.form_of:
        yield f"<p>It is a form of {link(entry.form_of)}.</p>"
    if entry.is_elsewhere:
        name = f"<code>{escape(entry.name)}</code>"
        yield f"<p>The call below is that one's: {name} may take other parameters.</p>"
    if entry.changes_its_array and entry.counterpart:
        yield f"<p>{CHANGED}.</p>"
    yield _code(entry.call, entry.framework, own)
    if entry.instead:
        yield f"<p>{other} does it another way: {with_code(entry.instead)}.</p>"
    else:
        yield _code(entry.counterpart or "", _other(entry), other)
        yield _arguments(entry)
        texts = {
            "Weights": entry.weights,
            "As a plain function": entry.plain,
            "To begin with weights such as PyTorch's, add": entry.begins,
        }
        for label, text in texts.items():
            if text:
                yield f"<p>{label}:</p>{_python(text)}"
        if entry.refused:
            refused = ", ".join(f"<code>{escape(name)}</code>" for name in entry.refused)
            yield f"<p>The line has no {refused}: it is for the default.</p>"
    if entry.recipe:
        yield from _recipe(entry.recipe, "" if entry.in_recipe else entry.name)
    if entry.paste:
        text = "\n\n\n".join((entry.imports, *entry.paste.values()))
        yield f"<h2>The function to paste</h2>{_python(text)}"
    yield from _differences(entry, other)
    yield _near(entry, link)
    yield _used(entry)
    if entry.calls:
        kinds = f" ({', '.join(entry.tried)})" if entry.tried else ""
        yield (
            f'<p class="tried">Tried in both: {entry.agreed} of {entry.calls} calls gave the same '
            f"result{escape(kinds)}. "
            "<code>t</code> is <code>torch.tensor</code>, and <code>a</code> is "
            '<code>jnp.asarray</code>. <a href="../names.html#how-to-read">How to read a line, and '
            "how it was tried</a>.</p>"
        )


def _recipe(recipe: NameRecipe, missing: str) -> Iterator[str]:
    """A recipe; where it does not call the name that it stands for, that is said."""
    title = escape(recipe.title)
    text = with_code(recipe.text.replace("``", "`"))
    page = f'<a href="../topics/{recipe.page}.html">More in the book</a>'
    if missing:
        yield f"<h2>Near it: {title}</h2>"
        yield f"<p>No line of this calls <code>{escape(missing)}</code>.</p>"
    else:
        yield f"<h2>{title}</h2>"
    yield f"<p>{text} {page}.</p>"
    for framework, text in (("torch", recipe.torch), ("jax", recipe.jax)):
        yield _code(text, framework, TITLES[framework])
    yield '<p class="tried">Both were run, and their last lines gave the same numbers.</p>'


def _other(entry: NameEntry) -> str:
    return "jax" if entry.framework == "torch" else "torch"


def _code(text: str, framework: str, title: str) -> str:
    return (
        f'<figure class="half {framework}"><figcaption>{title}</figcaption>{_python(text)}</figure>'
    )


def _python(text: str) -> str:
    return highlight(text, PythonLexer(), HtmlFormatter())


def _arguments(entry: NameEntry) -> str:
    """Each parameter of the name beside the argument of the other framework's call."""
    body = ast.parse(entry.counterpart or "0", mode="eval").body
    meant = row_of(entry.form_of or entry.name)
    if not isinstance(body, ast.Call) or len(meant.parameters) < 2:
        return ""
    texts = []
    while isinstance(body, ast.Call):  # a module is called twice
        texts += _written(body)
        body = body.func
    cells = []
    for name, default in meant.parameters.items():
        given = [
            text for text in texts if re.search(rf"\b{name}\b", text.partition("=")[2] or text)
        ]
        own = name if default is None else f"{name}={ast.unparse(default)}"
        cells.append((f"`{own}`", ", ".join(f"`{text}`" for text in given) or "none"))
    if any(len(cell) > _LONGEST for row in cells for cell in row):
        return ""  # the line itself is easier to read
    heads = (TITLES[entry.framework], TITLES[_other(entry)])
    return f"<h2>Arguments</h2>{Table(heads, cells).html('arguments')}"


def _written(call: ast.Call) -> list[str]:
    """A call's arguments as text, the positional ones with their names where the map has them."""
    theirs = _positional(ast.unparse(call.func))
    if any(isinstance(value, ast.Starred) for value in call.args):
        theirs = []
    texts = [
        f"{theirs[place]}={ast.unparse(value)}" if place < len(theirs) else ast.unparse(value)
        for place, value in enumerate(call.args)
    ]
    return texts + [ast.unparse(keyword) for keyword in call.keywords]


def _positional(name: str) -> list[str]:
    """The parameters of a name of the map, where it has a line."""
    row = jax_rows().get(name) or rows().get(name)
    return [*row.parameters] if isinstance(row, Row) and not row.form_of else []


def _differences(entry: NameEntry, other: str) -> Iterator[str]:
    shown: list[NameDifference | NameProbe] = [*entry.differences]
    shown += [probe for probe in entry.probes if probe.line_differs]
    items = [
        _probe(each) if isinstance(each, NameProbe) else _item(entry.framework, each, other)
        for each in sorted(shown, key=kinds.place)
        if each.kind != kinds.KINDS["refused"].word
    ]
    items += [_item("jax", difference, entry.form_of or "") for difference in entry.form_differs]
    if items:
        yield f"<h2>What differs</h2>{_list(items)}"
    avoided = [_probe(probe) for probe in entry.probes if not probe.line_differs]
    if entry.first or avoided:
        yield "<h2>What people write first</h2>"
    if entry.first:
        first = [_item(entry.framework, difference, "this") for difference in entry.first_differs]
        yield f"<p>This does something else:</p>{_python(entry.first)}{_list(first)}"
    if avoided:
        yield f"<p>The line above avoids it:</p>{_list(avoided)}"


def _list(items: list[str]) -> str:
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _item(framework: str, difference: NameDifference, other: str) -> str:
    times = f" ({difference.times} calls)" if difference.times > 1 else ""
    own, theirs = map(escape, difference.results(framework))
    return (
        f"<li>{_kind(difference.kind)}{times}: <code>({escape(difference.call)})</code> "
        f"gives <code>{own}</code>; {other}: <code>{theirs}</code></li>"
    )


def _probe(probe: NameProbe) -> str:
    values = [(probe.torch, probe.torch_value), (probe.jax, probe.jax_value)]
    if probe.line_value and probe.line_value not in (probe.torch_value, probe.jax_value):
        values.append(("the line above", probe.line_value))
    results = "; ".join(
        f"<code>{escape(expression)}</code> gives <code>{escape(value)}</code>"
        for expression, value in values
    )
    return f"<li>{_kind(probe.kind)}: {results}</li>"


def _kind(kind: str) -> str:
    """The word for a kind, with its meaning where the word is not enough."""
    shown = f"<strong>{escape(kind[:1].upper() + kind[1:])}</strong>"
    return shown + with_code(kinds.explained(kind).removeprefix(kind))


def _near(entry: NameEntry, link: Link) -> str:
    """The names of the other half of the line, forms, and other names that are called alike."""
    row = row_of(entry.form_of or entry.name)
    names = [*row.jax_names, *row.first_names, *_forms().get(row.name, ())]
    names += [other.name for other in find(entry.name)]
    known = [
        n for n in dict.fromkeys(names) if n != entry.name and (n in rows() or n in jax_rows())
    ]
    links = ", ".join(map(link, known[:_NEAR]))
    return f"<p>Near it: {links}.</p>" if links else ""


@cache
def _forms() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for row in (*rows().values(), *jax_rows().values()):
        if row.form_of:
            forms.setdefault(row.form_of, []).append(row.name)
    return forms


def _used(entry: NameEntry) -> str:
    """The topics of the book whose functions use the name."""
    used = [topic for topic in topics() if entry.name in _names_in(entry.framework, topic)]
    links = ", ".join(
        f'<a href="../topics/{topic}.html">{escape(source.summary(topic).rstrip("."))}</a>'
        for topic in used[:_TOPICS]
    )
    return f"<p>This book uses it in: {links}.</p>" if links else ""


@cache
def _names_in(framework: str, topic: str) -> frozenset[str]:
    """The names of the map in a half of a topic."""
    file = Path(examples.__file__).parent / topic / f"{framework}.py"
    names = set(re.findall(r"\b(?:torch|jax|jnp|lax|nnx|optax|F|nn)(?:\.\w+)+", file.read_text()))
    return frozenset(row.name for name in names for row in find(name)[:1])
