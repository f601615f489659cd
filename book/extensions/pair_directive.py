"""The directive ``{pair} topic.name``: one example function in both frameworks.

The two halves are tabs that switch together in the whole book; on a wide page the style sheet shows
both at once, in columns. The code comes from the package's files, without docstrings, which would
repeat the page, and without types, which would be half of it: a pointer on the link to the source
shows them. The option ``:with: NAME`` also shows other definitions of the module, in the file's
order; one half alone may have them.
"""

import ast
import difflib
from typing import Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from jaxvstorch._frameworks import FRAMEWORKS, TITLES
from jaxvstorch._pairs import source
from jaxvstorch._pairs.registry import PAIRS

logger = logging.getLogger(__name__)

_GONE = "\0"  # a line that is not shown

_TAB = """\
````{{tab-item}} {title}
:sync: {framework}
```python
{source}
```
[source]({repository}/blob/main/{file} "{types}"){{.source-link}}
````
"""
_TABS = "`````{{tab-set}}\n:sync-group: framework\n:class: pair\n{halves}`````\n"


class Half(NamedTuple):
    """One half of a pair, as a page shows it."""

    framework: str
    title: str
    source: str
    types: str
    file: str


def halves(topic: str, name: str, helpers: tuple[str, ...] = ()) -> list[Half]:
    """Both halves of a pair.

    Args:
        topic: the pair's.
        name: of the function.
        helpers: names of other definitions to show.

    Raises:
        LookupError: there is no such pair, and the message names the nearest; or neither module
            has one of the helpers.
    """
    known = [str(pair) for pair in PAIRS]
    if f"{topic}.{name}" not in known:
        near = difflib.get_close_matches(f"{topic}.{name}", known, n=1, cutoff=0)
        raise LookupError(f"there is no pair {topic}.{name}; the nearest is {near[0]}")
    return [
        Half(
            framework,
            TITLES[framework],
            _shown(topic, framework, name, helpers),
            types(source.definition(topic, framework, name)).replace('"', "'"),
            f"jaxvstorch/examples/{topic}/{framework}.py",
        )
        for framework in FRAMEWORKS
    ]


def _shown(topic: str, framework: str, name: str, helpers: tuple[str, ...]) -> str:
    parts = [source.definition(topic, framework, name)]
    parts += [text for helper in helpers if (text := _helper(topic, framework, helper))]
    file = source.path(topic, framework).read_text(encoding="utf-8")
    # A rule of differentiation follows its function.
    return "\n\n".join(untyped(quiet(part)) for part in sorted(parts, key=file.index))


def _helper(topic: str, framework: str, name: str) -> str:
    """Its source, or nothing if the other half alone has it."""
    try:
        return source.definition(topic, framework, name)
    except LookupError:
        for other in FRAMEWORKS:
            if other != framework:
                source.definition(topic, other, name)
        return ""


def quiet(text: str) -> str:
    """The same function or class without docstrings; other statements stay as they are."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            assert docstring.end_lineno
            end = docstring.end_lineno
            # The blank line below a class's docstring goes with it.
            end += end < len(lines) and not lines[end] and isinstance(node, ast.ClassDef)
            lines[docstring.lineno - 1 : end] = [_GONE] * (end - docstring.lineno + 1)
    return "\n".join(line for line in lines if line is not _GONE)


def untyped(text: str) -> str:
    """The same definition without the annotations of parameters and results."""
    lines = text.splitlines()
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: node.lineno, reverse=True):
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        # A comment above the first statement is part of the body.
        end = next(i for i in range(node.lineno - 1, len(lines)) if lines[i].endswith(":"))
        head = f"def {node.name}({ast.unparse(node.args)}):"
        lines[node.lineno - 1 : end + 1] = [" " * node.col_offset + head]
    return "\n".join(lines)


def types(text: str) -> str:
    """A function's types, ``(x: Float[Array, 'n']) -> Float[Array, 'n']``; empty without them."""
    node = ast.parse(text).body[0]
    if not isinstance(node, ast.FunctionDef) or node.returns is None:
        return ""
    return f"({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}"


class PairDirective(SphinxDirective):
    """Shows a pair of the registry; an unknown one is a warning that names the nearest."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"with": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Write the tabs in MyST, and let the page's own parser read them."""
        topic, _, name = self.arguments[0].partition(".")
        helpers = tuple(self.options.get("with", "").replace(",", " ").split())
        try:
            both_halves = halves(topic, name, helpers)
        except LookupError as error:
            logger.warning(str(error), location=self.get_location())
            return []
        for half in both_halves:
            self.env.note_dependency(str(source.path(topic, half.framework)))
        repository = self.config.html_theme_options["repository_url"]
        tabs = [_TAB.format(repository=repository, **half._asdict()) for half in both_halves]
        return self.parse_text_to_nodes(_TABS.format(halves="".join(tabs)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("pair", PairDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
