"""What ``explain`` returns, with methods to query and show it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from typing import Any

from jaxvstorch._explain import LOCK
from jaxvstorch._explain.explanation_data import FINDING_KINDS, Compiled, Facts, Finding
from jaxvstorch._explain.marks import Source, describe
from jaxvstorch._explain.rendering import html, text
from jaxvstorch._explain.rendering.text_rows import Printed
from jaxvstorch._frameworks import proven

SCHEMA = "jaxvstorch-explanation"
VERSION = 1


@dataclass(frozen=True, repr=False)
class Explanation(Facts):
    """What a compiler made of one function, called with some arguments.

    Printed, it is a table for a terminal; in a notebook it is HTML. Its attributes are those of
    ``Facts``.
    """

    # Compiles the programs; run on demand, since compiling takes longer than all the rest.
    compile: Callable[[], Compiled] | None = field(default=None, repr=False, compare=False)

    def with_stages(self) -> "Explanation":
        """This explanation with ``compiled``: the programs compiled, stage by stage."""
        if self.compiled is not None or self.compile is None:
            return self
        with LOCK:
            compiled = self.compile()
        return replace(self, compiled=compiled, missing=(*self.missing, *compiled.missing))

    def marks(self, name: str | None = None) -> list[str]:
        """The lines of one source that have a mark, each with its mark in words.

        A line has a mark if a statement of the body begins there: ``"y = x + 1  # A1"``, without
        its indentation. Functions inside are part of the source. Blank lines, comments, docstrings,
        ``else:`` and the further lines of a statement have none. Operations are added up: over all
        steps of an unrolled loop, over a function that the line calls, and over each program, as in
        ``"python, A2"`` or ``"A3, 2 in scan body"``.

        Args:
            name: the source's name, as for ``source``; by default the explained function's. Without
                a source the list is empty.

        Raises:
            LookupError: no source has that name.
        """
        if name is None and not self.sources:
            return []
        source = self.sources[0] if name is None else self.source(name)
        return [f"{line.text.strip()}  # {describe(line)}" for line in source.lines if line.mark]

    def source(self, name: str) -> Source:
        """The source of a function, by its name or the last part of it.

        Raises:
            LookupError: no function of that name was traced.
        """
        for source in self.sources:
            if name in (source.name, source.name.rpartition(".")[2]):
                return source
        names = ", ".join(source.name for source in self.sources)
        raise LookupError(f"no source is called {name!r}; there is {names or 'none'}")

    def found(self, kind: str) -> list[Finding]:
        """The findings of one kind.

        Raises:
            ValueError: no finding is of this kind; the message names all kinds.
        """
        if kind not in FINDING_KINDS:
            raise ValueError(f"kind must be one of {', '.join(FINDING_KINDS)}, not {kind!r}")
        return [finding for finding in self.findings if finding.kind == kind]

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, strings and numbers."""
        return {
            "schema": {"name": SCHEMA, "version": VERSION},
            **({"newer": newer} if (newer := proven.notes(self.framework)) else {}),
            **{f.name: _plain(getattr(self, f.name)) for f in fields(Facts)},
        }

    def to_json(self) -> str:
        """The plain data as JSON."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        return str(text.printed(self))

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self) -> Printed:
        return text.printed(self)

    def _repr_html_(self) -> str:
        return html.fragment(self)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value
