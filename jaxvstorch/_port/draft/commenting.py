"""Keeps the comments and blank lines of a source through its syntax tree, which holds neither."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from jaxvstorch._port.draft.elements import keep_comments
from jaxvstorch._port.map.rows import meaning, rows

# Statements that stand for a comment, a blank line, and a comment behind the statement before.
COMMENT, BLANK, BEHIND = "\0# ", "\0blank", "\0behind "
TODO = "TODO: "  # begins the draft's comments on what is left to do
NOTE = "NOTE: "  # begins those on what is drafted, but not verified
UNVERIFIED = ", and is not verified"  # ends the marks of what the map translates all the same
UNREACHED = f"was not reached{UNVERIFIED}"
UNSEEN = f"is not a call that port replays{UNVERIFIED}"
SKIPPED = "was not reached"  # and has no counterpart


def parsed_with_comments(text: str, file: str) -> ast.Module:
    """The tree of a file; comments and blank lines stand in it as strings of their own."""
    tree = ast.parse(text, file)
    lines = text.splitlines()
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = {t.start[0]: t for t in tokens if t.type == tokenize.COMMENT}
    for body, is_branch in list(_bodies(tree)):
        _add(body, lines, comments, is_branch)
    return tree


def _bodies(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The lists of statements, and whether each is that of a branch or loop."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield body, not isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)


def _add(
    body: list[ast.stmt],
    lines: list[str],
    comments: dict[int, tokenize.TokenInfo],
    is_branch: bool,
) -> None:
    """Put comments and blank lines before the statements of a body that they stand before."""
    new: list[ast.stmt] = []
    for index, node in enumerate(body):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        number, above = first - 1, list[ast.stmt]()
        while number > 0 and re.fullmatch(r"\s*(#.*)?", lines[number - 1]):
            text = lines[number - 1].strip()
            above.insert(0, _marker(COMMENT + _said(text) if text else BLANK))
            number -= 1
        if index == 0:  # a comment before the first statement stands above its header, too
            above = [a for a in above if not is_blank(a)]
        last = node.end_lineno or node.lineno
        simple = not hasattr(node, "body") or isinstance(node, ast.Expr)
        if simple:
            above += [_marker(COMMENT + said) for said in keep_comments(node, lines, comments)]
        new += [*above, node]
        if simple and last in comments and comments[last].start[1] >= (node.end_col_offset or 0):
            new.append(_marker(BEHIND + _said(comments[last].string)))
    header = comments.get(body[0].lineno - 1) if is_branch else None
    if header is not None and lines[body[0].lineno - 2][: header.start[1]].rstrip().endswith(":"):
        new.insert(0, _marker(BEHIND + _said(header.string)))
    if any(_is(part, COMMENT) for part in new[:1]) and _is_docstring(body[0]):
        new = new[1:]
    body[:] = new


def _said(comment: str) -> str:
    """What a comment says; one of the program's that looks like a draft's mark says whose it is."""
    return re.sub("^TODO:", "TODO of the program:", comment[1:].strip())


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and "\0" not in node.value.value
    )


def _marker(text: str) -> ast.stmt:
    return ast.Expr(ast.Constant(text))


def _is(node: ast.stmt, kind: str) -> bool:
    return is_marker(node) and node.value.value.startswith(kind)  # type: ignore[attr-defined]


def is_marker(node: ast.AST) -> bool:
    """Whether a statement stands for a comment or a blank line."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and node.value.value.startswith("\0")
    )


def mark(text: str) -> ast.stmt:
    """The statement that becomes a comment on what is left to do, or is not verified."""
    kind = NOTE if text.endswith(UNVERIFIED) else TODO
    return ast.Expr(ast.Constant(kind + text.replace("\n", " ")))


def left(name: str, why: str) -> str:
    """The mark of a call that stays, with what people do in JAX if the map says it."""
    row = rows().get(name)
    instead = row and meaning(row).option("instead")
    return f"{name} {why}" + (f": {instead}" if instead else ", and has no counterpart here")


def count_marks(source: str) -> int:
    """How many places a draft marks as left to do."""
    return source.count(f"# {TODO}")


def count_unverified(source: str) -> int:
    """How many places of a draft the map translated, but no replay verified."""
    return len(re.findall(rf"# {NOTE}.*{UNVERIFIED}", source))


def is_blank(node: ast.stmt) -> bool:
    """Whether a statement stands for a blank line."""
    return _is(node, BLANK)


def is_behind(node: ast.stmt) -> bool:
    """Whether a statement stands for a comment behind the line before."""
    return _is(node, BEHIND)


def comment(text: str) -> ast.stmt:
    """A statement that stands for a comment."""
    return _marker(COMMENT + text)


def blank() -> ast.stmt:
    """A statement that stands for a blank line."""
    return _marker(BLANK)


def with_comments(text: str) -> str:
    """A source made of a tree, with its comments and blank lines as such."""
    lines: list[str] = []
    for line in text.splitlines():
        match = re.fullmatch(r"""(\s*)('|"|\"{3})\\x00(# |blank|behind )(.*)\2""", line)
        if match is None:
            lines.append(line.rstrip())
            continue
        said = ast.literal_eval(match[2] + match[4] + match[2])
        if match[3] == "blank":
            lines.append("")
        elif match[3] == "# ":
            lines.append(f"{match[1]}# {said}")
        else:
            lines[-1] += f"  # {said}"
    return "\n".join(lines)
