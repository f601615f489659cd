"""MyST Markdown made plain, so that it reads well in Jupyter and Colab.

Directives become headings, quotations and code; roles become code or links. Code is left alone.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Directive(NamedTuple):
    """A directive of a page."""

    name: str
    argument: str
    options: dict[str, str]
    body: str


class Link(NamedTuple):
    """The text of a role, and its target, if any."""

    text: str
    url: str | None


@dataclass(frozen=True)
class Converter:
    """Makes MyST plain.

    Attributes:
        directives: the plain form of each directive that only the book knows.
        resolve: the text and target of a role, by its name and content.
        page_url: the address of a page of the book, given as a relative path without suffix.
    """

    directives: dict[str, Callable[[Directive], str]]
    resolve: Callable[[str, str], Link]
    page_url: Callable[[str], str]

    def __call__(self, text: str) -> str:
        """The text in plain Markdown.

        Raises:
            LookupError: a directive has no plain form.
        """
        whole = _BROKEN_ROLE.sub(lambda match: " ".join(match[0].split()), text)
        lines, plain = whole.splitlines(), []
        while lines:
            opening = _FENCE.match(lines[0])
            if opening is None:
                plain.extend(self._line(lines.pop(0)))
                continue
            block = [lines.pop(0)]
            while lines and not _closes(lines[0], opening["fence"]):
                block.append(lines.pop(0))
            closing = lines.pop(0) if lines else ""
            if opening["name"] is None:
                plain.extend([*block, closing])
            else:
                plain.append(self._directive(opening["name"], opening["argument"], block[1:]))
        return "\n".join(plain).strip()

    def _line(self, line: str) -> list[str]:
        if _TARGET.match(line) or line.startswith(("% ", "+++")):
            return []
        line = _ROLE.sub(self._role, line)
        line = _PAGE.sub(lambda m: f"]({self.page_url(m['page'])}{m['anchor'] or ''})", line)
        return [_ATTRIBUTES.sub("", line)]

    def _role(self, match: re.Match[str]) -> str:
        text, url = self.resolve(match["role"], match["content"])
        return f"[{text}]({url})" if url else text

    def _directive(self, name: str, argument: str, lines: list[str]) -> str:
        options = {}
        while lines and (option := _OPTION.match(lines[0])):
            options[option["key"]] = option["value"]
            lines = lines[1:]
        directive = Directive(name, argument.strip(), options, "\n".join(lines).strip())
        if name in self.directives:
            return self.directives[name](directive)
        if name in _CONTAINERS:
            return self(directive.body)
        if name in _TITLED:
            return f"**{self(directive.argument)}**\n\n{self(directive.body)}\n"
        if name in _ADMONITIONS:
            title = argument.strip() if name == "admonition" else name.capitalize()
            return _quote(f"**{self(title)}**\n\n{self(directive.body)}")
        if name == "code-block":
            return f"```{directive.argument}\n{directive.body}\n```"
        if name == "math":
            return f"$$\n{directive.body}\n$$"
        raise LookupError(f"the directive {{{name}}} has no form in plain Markdown")


_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|:{3,})(?:\{(?P<name>[\w:-]+)\})?(?P<argument>.*)$")
_OPTION = re.compile(r"^\s*:(?P<key>[\w-]+):\s*(?P<value>.*)$")
_TARGET = re.compile(r"^\([\w.-]+\)=\s*$")
_ROLE = re.compile(r"\{(?P<role>[\w:+-]+)\}(?P<ticks>`+)(?P<content>.+?)(?P=ticks)")
_BROKEN_ROLE = re.compile(r"\{[\w:+-]+\}`[^`\n]+\n[^`\n]+`")
_PAGE = re.compile(r"\]\((?P<page>[\w./-]+)\.md(?P<anchor>#[\w-]+)?\)")
_ATTRIBUTES = re.compile(r"(?<=[)`\]])\{[.#][^}]*\}")

_CONTAINERS = ("div", "glossary", "grid", "tab-set")
_TITLED = ("card", "dropdown", "grid-item", "grid-item-card", "tab-item")
_ADMONITIONS = (
    "admonition", "attention", "caution", "danger", "error", "hint", "important", "note",
    "seealso", "tip", "warning",
)  # fmt: skip


def _closes(line: str, fence: str) -> bool:
    line = line.strip()
    return len(line) >= len(fence) and set(line) == {fence[0]}


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) + "\n"
