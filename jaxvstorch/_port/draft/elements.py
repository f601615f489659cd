"""Keeps comments inside of statements: behind and above the elements of calls, lists and dicts."""

import ast
import re
from collections.abc import Iterator, Mapping
from tokenize import TokenInfo

_COMMENTS = "_comments"  # the attribute of an element: what stands behind it, and above
HERE = "commented_here"  # a call of it stands for an element with comments, until lines are made


def keep_comments(node: ast.stmt, lines: list[str], comments: Mapping[int, TokenInfo]) -> list[str]:
    """Give the elements of a statement the comments on its lines but the last.

    Args:
        node: the statement, changed in place.
        lines: of its file.
        comments: of its file, by line.

    Returns:
        The comments that belong to no element.
    """
    rest = list[str]()
    for number in range(node.lineno, node.end_lineno or node.lineno):
        if (token := comments.get(number)) is None:
            continue
        at, alone = token.start[1], not lines[number - 1][: token.start[1]].strip()
        every = [holder for holder, _, _ in _elements(node)]
        if alone:
            near = [e for e in every if e.lineno > number]
            near.sort(key=lambda e: (e.lineno, e.col_offset, -(e.end_lineno or 0)))
        else:
            near = [e for e in every if e.end_lineno == number and (e.end_col_offset or 0) <= at]
            near.sort(key=lambda e: (-(e.end_col_offset or 0), e.lineno, e.col_offset))
        said = token.string[1:].strip()
        if not near:
            rest.append(said)
            continue
        behind, above = getattr(near[0], _COMMENTS, ("", ""))
        texts = (behind, f"{above}\n{said}".strip()) if alone else (said, above)
        setattr(near[0], _COMMENTS, texts)
    return rest


def move_comments(node: ast.AST, new: object) -> None:
    """Let what an element becomes have its comments."""
    if hasattr(node, _COMMENTS) and isinstance(new, ast.expr) and not hasattr(new, _COMMENTS):
        setattr(new, _COMMENTS, getattr(node, _COMMENTS))


def comments_in(node: ast.AST) -> list[str]:
    """The comments of the elements in a statement."""
    texts = (getattr(element, _COMMENTS, ()) for element, _, _ in _elements(node))
    return [line for several in texts for text in several for line in text.splitlines()]


def _elements(node: ast.AST) -> Iterator[tuple[ast.expr, ast.AST, str]]:
    """The elements of calls, lists and dicts in a tree, with what holds each, and its field."""
    for part in ast.walk(node):
        for field in ("args", "elts", "values"):
            if isinstance(part, ast.Call | ast.List | ast.Tuple | ast.Set | ast.Dict):
                for element in getattr(part, field, ()):
                    if isinstance(element, ast.expr):
                        yield element, part, field
        if isinstance(part, ast.keyword):
            yield part.value, part, "value"


def with_calls(node: ast.stmt) -> None:
    """Write elements with comments as calls, in place."""
    for element, holder, field in list(_elements(node)):
        if hasattr(element, _COMMENTS):
            texts = [ast.Constant(text) for text in getattr(element, _COMMENTS)]
            call = ast.Call(ast.Name(HERE, ast.Load()), [element, *texts], [])
            held = getattr(holder, field)
            if isinstance(held, list):
                held[next(i for i, e in enumerate(held) if e is element)] = call
            else:
                setattr(holder, field, call)


def element_of(item: str) -> tuple[str, str, list[str]]:
    """An item of a line without such a call: itself, and its comments behind and above."""
    match = re.match(rf"((?:\w+ ?=|[^()\[\]{{}}]+: ?)?){HERE}\(", item)
    if match is None or not item.endswith(")"):
        return item, "", []
    call = ast.parse(item[match.end(1) :], mode="eval").body
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != HERE:
        return item, "", []
    element, behind, above = call.args
    texts = ast.literal_eval(behind), ast.literal_eval(above)
    return f"{match[1]}{ast.unparse(element)}", texts[0], texts[1].splitlines()
