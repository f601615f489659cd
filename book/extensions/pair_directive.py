"""The directive ``{pair} topic.name``: one example function in both frameworks.

The two halves stand in tabs that switch together all over the book, or next to each other with the
option ``:side-by-side:``. What is shown is read from the package's own files.
"""

import ast
import difflib
from typing import Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from jaxvstorch import source
from jaxvstorch.frameworks import FRAMEWORKS, TITLES
from jaxvstorch.registry import PAIRS

logger = logging.getLogger(__name__)

_TAB = """\
````{{tab-item}} {title}
:sync: {framework}
```python
{source}
```
[{file}]({repository}/blob/main/{file}){{.source-link}}
````
"""
_TABS = "`````{{tab-set}}\n:sync-group: framework\n:class: pair\n{halves}`````\n"

_COLUMN = """\
````{{grid-item}}
:class: half-{framework}
**{title}**
```python
{source}
```
````
"""
_COLUMNS = "`````{{grid}} 1 1 2 2\n:gutter: 3\n:class-container: pair-columns\n{halves}`````\n"


class Half(NamedTuple):
    """One half of a pair, as a page shows it."""

    framework: str
    title: str
    source: str
    file: str


def halves(topic: str, name: str) -> list[Half]:
    """Both halves of a pair.

    Raises:
        LookupError: there is no such pair; the message names the nearest.
    """
    known = [str(pair) for pair in PAIRS]
    if f"{topic}.{name}" not in known:
        near = difflib.get_close_matches(f"{topic}.{name}", known, n=1, cutoff=0)
        raise LookupError(f"there is no pair {topic}.{name}; the nearest is {near[0]}")
    return [
        Half(
            framework,
            TITLES[framework],
            source.function(topic, framework, name),
            f"jaxvstorch/examples/{topic}/{framework}.py",
        )
        for framework in FRAMEWORKS
    ]


def narrow(text: str) -> str:
    """The same function with one parameter to a line, as formatters break a long signature.

    A signature with more than plain parameters, such as defaults, stays as it is.
    """
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert node.returns is not None
    parameters = [f"    {ast.get_source_segment(text, argument)}," for argument in node.args.args]
    returns = ast.get_source_segment(text, node.returns)
    body = text.splitlines()[node.body[0].lineno - 1 :]
    broken = "\n".join([f"def {node.name}(", *parameters, f") -> {returns}:", *body])
    return broken if ast.dump(ast.parse(broken)) == ast.dump(ast.parse(text)) else text


class PairDirective(SphinxDirective):
    """Shows a pair of the registry; an unknown one is a warning that names the nearest."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"side-by-side": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Write the tabs in MyST, and let the page's own parser read them."""
        topic, _, name = self.arguments[0].partition(".")
        try:
            found = halves(topic, name)
        except LookupError as error:
            logger.warning(str(error), location=self.get_location())
            return []
        for half in found:
            self.env.note_dependency(str(source.path(topic, half.framework)))
        columns = "side-by-side" in self.options
        repository = self.config.html_theme_options["repository_url"]
        texts = []
        for half in found:
            shown = half._replace(source=narrow(half.source)) if columns else half
            form = _COLUMN if columns else _TAB
            texts.append(form.format(repository=repository, **shown._asdict()))
        return self.parse_text_to_nodes(
            (_COLUMNS if columns else _TABS).format(halves="".join(texts))
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("pair", PairDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
