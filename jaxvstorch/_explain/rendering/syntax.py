"""Python's syntax by line: where its keywords, strings, numbers and comments are."""

import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence

KEYWORD, STRING, NUMBER, COMMENT = "keyword", "string", "number", "comment"

Span = tuple[int, int, str]  # the first column, the one after the last, the kind

# An f-string is one token until Python 3.11, and several from then on.
_KINDS = {tokenize.STRING: STRING, tokenize.NUMBER: NUMBER, tokenize.COMMENT: COMMENT} | {
    getattr(tokenize, name): STRING
    for name in ("FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
}


def spans(lines: Sequence[str]) -> list[list[Span]]:
    """The spans of each line, in order; for broken Python, those before the error.

    >>> spans(["def f(x):", "    return 'a'"])
    [[(0, 3, 'keyword')], [(4, 10, 'keyword'), (11, 14, 'string')]]
    """
    by_line: list[list[Span]] = [[] for _ in lines]
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            kind = _KINDS.get(token.type)
            if token.type == tokenize.NAME and keyword.iskeyword(token.string):
                kind = KEYWORD
            if kind:
                _add(by_line, lines, token, kind)
    except (tokenize.TokenError, SyntaxError):
        pass  # a part of a file may be incomplete
    return by_line


def _add(
    by_line: list[list[Span]], lines: Sequence[str], token: tokenize.TokenInfo, kind: str
) -> None:
    (first, start), (last, end) = token.start, token.end
    for row in range(first, last + 1):
        begin = start if row == first else 0
        stop = end if row == last else len(lines[row - 1])
        if begin < stop:
            by_line[row - 1].append((begin, stop, kind))


def pieces(text: str, marked: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """The pieces of a line, each with its kind, which is empty for plain text."""
    position = 0
    for begin, stop, kind in marked:
        if begin > position:
            yield text[position:begin], ""
        yield text[max(begin, position) : stop], kind
        position = max(stop, position)
    if position < len(text):
        yield text[position:], ""
