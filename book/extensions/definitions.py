"""The directive ``{definitions} FOLDER/MODULE.name …``: what programs of the examples define.

Unlike in a pair, the functions may have different names. Those of a module whose name begins with a
framework's, such as ``jax_step``, go into its tab; those of one module alone are one block, as are
functions that need no framework. Docstrings and types are left out, as in a pair.
"""

from collections import defaultdict

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from extensions.pair_directive import quiet, untyped
from jaxvstorch._frameworks import TITLES
from jaxvstorch._pairs import source

logger = logging.getLogger(__name__)

_BLOCK = "```python\n{}\n```\n"
_TAB = "````{{tab-item}} {title}\n:sync: {framework}\n{block}````\n"
_TABS = "`````{{tab-set}}\n:sync-group: framework\n:class: pair\n{}`````\n"


def blocks(argument: str) -> dict[str, str]:
    """By framework, a block of code with the definitions that the directive names.

    Raises:
        LookupError: a module defines no such name.
    """
    sources = defaultdict(list)
    for each in argument.split():
        path, _, name = each.rpartition(".")
        folder, _, module = path.rpartition("/")
        code = untyped(quiet(source.definition(folder, module, name)))
        sources[module.partition("_")[0]].append(code)
    return {framework: _BLOCK.format("\n\n\n".join(sources[framework])) for framework in sources}


def plain(argument: str) -> str:
    """The same for a notebook: one block below the other, under its framework's title."""
    titles = {framework: f"**{title}**\n\n" for framework, title in TITLES.items()}
    return "\n".join(titles.get(key, "") + block for key, block in blocks(argument).items())


class DefinitionsDirective(SphinxDirective):
    """Shows definitions of programs; a missing one is a warning."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Write the code in MyST, and let the page's own parser read it."""
        try:
            code = blocks(self.arguments[0])
        except (LookupError, OSError) as error:
            logger.warning(str(error), location=self.get_location())
            return []
        for each in self.arguments[0].split():
            folder, _, module = each.rpartition(".")[0].rpartition("/")
            self.env.note_dependency(str(source.path(folder, module)))
        if len(code) == 1:
            return self.parse_text_to_nodes("".join(code.values()))
        tabs = [
            _TAB.format(title=TITLES[framework], framework=framework, block=block)
            for framework, block in code.items()
        ]
        return self.parse_text_to_nodes(_TABS.format("".join(tabs)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("definitions", DefinitionsDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
