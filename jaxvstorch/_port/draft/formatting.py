"""Formats a draft: comments, blank lines, and lines of at most 99 columns."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise

from jaxvstorch._port.draft.commenting import NOTE, TODO, with_comments
from jaxvstorch._port.draft.elements import HERE, element_of, with_calls

WIDTH = 99
_WITHIN = "\f"  # stands for a new line inside a string
_OPENING, _CLOSING = "([{", ")]}"


def tidy(source: str) -> str:
    """A source made of a tree, with its marks and comments as such, and formatted."""
    lines: list[str] = []
    for line in _with_whole_strings(_with_double_quotes(with_comments(source))).split("\n"):
        mark = re.match(rf'(\s*)("""|"|\')({TODO}|{NOTE})(.*)\2$', line)
        lines += [f"{mark[1]}# {mark[3]}{mark[4]}"] if mark else wrapped(line.rstrip())
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).rstrip() + "\n"
    text = re.sub(r"(\n[ ]*#[^\n]*)\n\n([ ]*(?:def|class|@))", r"\1\n\2", text)
    text = re.sub(r"(?m)^( *)((?:[\w., ]+ = |return ))\((.*)\)$", _without_parentheses, text)
    text = re.sub(r"(:\n)\n+([ ]+)", r"\1\2", text)
    return re.sub(r"\n{3,}(?=[ ])", "\n\n", text).replace(_WITHIN, "\n")


def written(nodes: Sequence[ast.stmt]) -> str:
    """The source of statements, with comments inside of them where lines can be made of it."""
    texts = list[str]()
    for node in nodes:
        plain = ast.unparse(ast.fix_missing_locations(node))
        with_calls(node)
        text = ast.unparse(ast.fix_missing_locations(node))
        made = (line for part in text.split("\n") for line in wrapped(part))
        texts.append(plain if any(HERE in line for line in made) else text)
    return "\n".join(texts)


def ordered_imports(lines: Iterable[str]) -> list[str]:
    """Import lines in the usual order, one for each module; what is no import comes last."""
    plain, members, others = set[str](), dict[str, set[str]](), list[str]()
    for line in sorted(lines):
        match ast.parse(line).body:
            case [ast.Import()]:
                plain.add(line)
            case [ast.ImportFrom(str(module), names, 0)]:
                members.setdefault(module, set()).update(map(ast.unparse, names))
            case _:
                others.append(line)
    whole = [*sorted(plain), *(f"from {m} import {', '.join(sorted(members[m]))}"
                               for m in sorted(members))]  # fmt: skip
    standard = [line for line in whole if re.split(r"[ .]", line)[1] in sys.stdlib_module_names]
    blocks = [standard, [line for line in whole if line not in standard], others]
    return "\n\n".join("\n".join(block) for block in blocks if block).split("\n")


def _with_double_quotes(source: str) -> str:
    """A source whose strings stand in double quotes, if nothing in them needs others."""
    lines = source.split("\n")
    starts = list[tokenize.TokenInfo]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("STRING", "FSTRING_START"):
            starts.append(token)
        if kind not in ("STRING", "FSTRING_END"):
            continue
        (row, start), (last, end) = starts.pop().start, token.end
        if row != last:
            continue
        line = lines[row - 1]
        prefix, quote, inside = line[start:end].partition("'")
        if quote and not inside.startswith("''") and not re.search(r"[\\\"]", f"{prefix}{inside}"):
            lines[row - 1] = f'{line[:start]}{prefix}"{inside[:-1]}"{line[end:]}'
    return "\n".join(lines)


def _with_whole_strings(source: str) -> str:
    """A source where each string of several lines, such as a docstring, is one line."""
    lines = source.split("\n")
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(source).readline))):
        first, last = token.start[0] - 1, token.end[0]
        if token.type == tokenize.STRING and last - first > 1:
            lines[first:last] = [_WITHIN.join(lines[first:last])]
    return "\n".join(lines)


def wrapped(line: str) -> list[str]:
    """A line that is too long, with what its longest brackets hold on lines of their own."""
    indent = line[: len(line) - len(line.lstrip())]
    if (
        (len(line) <= WIDTH and HERE not in line)
        or _WITHIN in line
        or line.lstrip().startswith("#")
    ):
        return [line]
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line.strip()).readline))
    except (tokenize.TokenError, IndentationError):
        return [line]
    code, comment = line.strip(), []
    for token in tokens:
        if token.type == tokenize.COMMENT:
            code, comment = code[: token.start[1]].rstrip(), [f"{indent}{token.string}"]
    if comment:
        return [*comment, *wrapped(f"{indent}{code}")]
    if (brackets := _longest(tokens)) is None:
        return [line]
    begin, commas, clauses, end = brackets
    bounds = [begin, *(clauses or commas), end]
    items = [code[a + 1 : b].strip() for a, b in pairwise(bounds)]
    items = [item for item in items if item]
    several = len(items) > 1 and not items[-1].startswith("**") and not clauses
    ends = [*["" if clauses else ","] * (len(items) - 1), "," * several]
    inner = [_item(f"{indent}    ", item, end) for item, end in zip(items, ends, strict=True)]
    short = f"{indent}    {' '.join(i + e for i, e in zip(items, ends, strict=True))}".rstrip(",")
    if len(short) <= WIDTH and HERE not in short:
        inner = [[short]]
    return [f"{indent}{code[: begin + 1]}", *chain(*inner), *wrapped(f"{indent}{code[end:]}")]


def _item(indent: str, item: str, end: str) -> list[str]:
    """The lines of an item between brackets, with its comments."""
    text, behind, above = element_of(item)
    lines = wrapped(f"{indent}{text}{end}")
    if behind and len(lines[-1]) + len(behind) + 4 > WIDTH:
        behind, above = "", [*above, behind]
    lines[-1] += f"  # {behind}" if behind else ""
    return [*(f"{indent}# {said}" for said in above), *lines]


def _longest(
    tokens: list[tokenize.TokenInfo],
) -> tuple[int, list[int], list[int], int] | None:
    """Where the longest brackets of a line begin and end, and what is right inside of them.

    Returns:
        The place of the first, those of commas and before the clauses of a comprehension, and
        that of the last.
    """
    depth, begin, commas, clauses, holds = 0, 0, list[int](), list[int](), False
    best: tuple[int, list[int], list[int], int] | None = None
    for token in tokens:
        if token.string in _OPENING and token.type == tokenize.OP:
            depth += 1
            if depth == 1:
                begin, commas, clauses, holds = token.start[1], [], [], False
        elif token.string in _CLOSING and token.type == tokenize.OP:
            depth -= 1
            length = token.start[1] - begin
            if depth == 0 and length > 1 and (best is None or holds or length > best[3] - best[0]):
                best = begin, commas, clauses, token.start[1]
                if holds:
                    break
        elif token.string == HERE:
            holds = True
        elif token.string == "," and depth == 1:
            commas.append(token.start[1])
        elif depth == 1 and (token.string == "for" or (clauses and token.string == "if")):
            clauses.append(token.start[1] - 1)
    return best


def _without_parentheses(match: re.Match[str]) -> str:
    """``a, b = (c, d)`` without parentheses around the tuple."""
    short = f"{match[2]}{match[3]}"
    try:
        value = ast.parse(short).body[0].value  # type: ignore[attr-defined]
        same = ast.dump(value) == ast.dump(ast.parse(f"({match[3]})", mode="eval").body)
    except SyntaxError:
        return match[0]
    return match[1] + short if same and isinstance(value, ast.Tuple) else match[0]
