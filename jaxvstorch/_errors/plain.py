"""Makes plain text of what a program printed or a log kept: no colours, no prefix on each line."""

import codecs
import re
from itertools import chain

_COLOR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_TRACEBACK = r"Traceback \(most recent call last\):"
# `[rank0]: Traceback …`, or with a time, a host or a process in front of each line.
_PREFIXED = re.compile(rf"^(.+){_TRACEBACK}", re.MULTILINE)
# A traceback as one string of JSON.
_ESCAPED = re.compile(rf"{_TRACEBACK}\\n")


def decoded(data: bytes) -> str:
    """The text of bytes in UTF-8, or in the UTF-16 of PowerShell; what is neither is replaced."""
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_wide else "utf-8-sig", errors="replace")


def plain(text: str) -> str:
    r"""A text as Python prints it to a terminal without colours.

    >>> plain("\x1b[31mKeyError\x1b[0m: 1\r\n")
    'KeyError: 1\n'
    """
    text = re.sub(r"\r\n?", "\n", _COLOR.sub("", text))
    if _ESCAPED.search(text):
        text = text.replace("\\n", "\n").replace('\\"', '"')
    return _without_prefixes(text)


def _without_prefixes(text: str) -> str:
    """The text without what stands before each line of a traceback.

    Where processes write in turns, the lines of each follow each other.
    """
    kinds = {_general(match[1]) for match in _PREFIXED.finditer(text) if match[1].strip()}
    kinds = {kind for kind in kinds if re.search(rf'^{kind}[ \t]*File "', text, re.MULTILINE)}
    if not kinds:
        return text
    prefix = re.compile("|".join(kinds))
    plain: list[str] = []
    by_prefix: dict[str, list[str]] = {}
    for line in text.split("\n"):
        if match := prefix.match(line):
            by_prefix.setdefault(match[0].rstrip(), []).append(line[match.end() :])
            continue
        plain += [*chain(*by_prefix.values()), line]
        by_prefix = {}
    return "\n".join([*plain, *chain(*by_prefix.values())])


def _general(prefix: str) -> str:
    """An expression for this prefix with any numbers, also where nothing follows it."""
    words = prefix.rstrip()
    numbers = re.sub(r"\d+", r"\\d+", re.escape(words))
    return numbers if words == prefix else rf"{numbers}(?:[ \t]|$)"
