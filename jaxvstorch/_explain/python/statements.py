"""Where a file's functions and statements begin and end, read from its source."""

import ast
import dis
import functools
import linecache
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

# Names of notebook cells, and of prompts since Python 3.13: no files, but linecache has the text.
PROMPTS = ("<ipython-input", "<python-input")


@dataclass(frozen=True)
class Function:
    """A function's lines in its file, from the first decorator to the last line, inclusive."""

    name: str
    first: int
    last: int
    body: int


@dataclass(frozen=True)
class Loop:
    """A Python loop: the line of its header, and the lines of its body, inclusive."""

    header: int
    first: int
    last: int


@dataclass(frozen=True)
class SourceFile:
    """One parsed source file.

    Attributes:
        lines: the text, without line ends.
        functions: every function, outer ones before the ones inside.
        statement_starts: the first line of the statement that a line belongs to.
        executable: first lines of the statements that leave bytecode.
        loops: every ``for`` and ``while`` statement.
        code_starts: the name and the first line of each function, lambdas included.
        continue_lines: lines of the ``continue`` statements.
        with_headers: headers of ``with`` statements, which run at the block's begin and at its end.
        assignment_counts: the number of assignments to each variable shared with inner functions.
    """

    lines: tuple[str, ...]
    functions: tuple[Function, ...]
    statement_starts: dict[int, int]
    executable: frozenset[int]
    loops: tuple[Loop, ...]
    assignment_counts: Counter[str]
    with_headers: frozenset[int]
    continue_lines: frozenset[int]
    code_starts: frozenset[tuple[str, int]]

    def enclosing(self, line: int) -> list[Function]:
        """The functions around a line, the outermost first."""
        return [f for f in self.functions if f.first <= line <= f.last]


def read(file: str) -> SourceFile | None:
    """Read a file or a notebook's cell; ``None`` if there is no source."""
    if file.startswith("<") and not file.startswith(PROMPTS):
        return None  # linecache may have another text of this name, such as "<string>"
    text = tuple(linecache.getlines(file))
    try:
        return _parse(file, text) if text else None
    except SyntaxError:
        return None


@functools.lru_cache(maxsize=256)
def _parse(file: str, text: tuple[str, ...]) -> SourceFile:
    lines = tuple(line.rstrip("\n") for line in text)
    tree = ast.parse("\n".join(lines) + "\n")
    functions = tuple(sorted(_functions(tree, ""), key=lambda f: (f.first, -f.last)))
    statement_starts: dict[int, int] = {}
    for first, last in _statements(tree):
        for line in range(first, last + 1):
            statement_starts[line] = max(first, statement_starts.get(line, 0))
    executable = set()
    assignment_counts: Counter[str] = Counter()
    code_objects = list(_codes(compile(tree, file, "exec", dont_inherit=True)))
    for code in code_objects:
        numbers = {line for _, _, line in code.co_lines() if line}
        if code.co_cellvars or code.co_freevars:  # no other code has such an instruction
            assignment_counts.update(
                i.argval for i in dis.get_instructions(code) if i.opname == "STORE_DEREF"
            )
        executable |= {statement_starts[line] for line in numbers if line in statement_starts}
    return SourceFile(
        lines,
        functions,
        statement_starts,
        frozenset(executable),
        tuple(_loops(tree)),
        assignment_counts,
        _lines_of(tree, ast.With, ast.AsyncWith),
        _lines_of(tree, ast.Continue),
        frozenset((code.co_name, code.co_firstlineno) for code in code_objects),
    )


def _walk(node: ast.AST) -> Iterator[Any]:
    """Every statement, handler and case inside; skips expressions, which hold none of them."""
    for child in _children(node):
        yield child
        yield from _walk(child)


def _children(node: ast.AST) -> Iterator[Any]:
    for field in ("body", "handlers", "orelse", "finalbody", "cases"):
        yield from getattr(node, field, ())


def _lines_of(tree: ast.AST, *kinds: type[ast.stmt]) -> frozenset[int]:
    return frozenset(node.lineno for node in _walk(tree) if isinstance(node, kinds))


def _loops(tree: ast.AST) -> Iterator[Loop]:
    for node in _walk(tree):
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            last = node.body[-1].end_lineno or node.lineno
            yield Loop(node.lineno, max(node.body[0].lineno, node.lineno + 1), last)


def _functions(node: ast.AST, prefix: str) -> Iterator[Function]:
    for child in _children(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first, body = _start_line(child), _start_line(child.body[0])
            name = f"{prefix}{child.name}"
            yield Function(name, first, child.end_lineno or first, body)
            yield from _functions(child, f"{name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _statements(tree: ast.AST) -> Iterator[tuple[int, int]]:
    """First and last line of each statement; for one with a body, only of the part before it."""
    for node in _walk(tree):
        if isinstance(node, ast.stmt) and not _is_not_executable(node):
            yield _start_line(node), _header_end(node)
        elif isinstance(node, ast.ExceptHandler):
            yield node.lineno, _header_end(node)
        elif isinstance(node, ast.match_case):
            yield node.pattern.lineno, node.body[0].lineno - 1


def _is_not_executable(node: ast.stmt) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Pass | ast.Global | ast.Nonlocal)


def _header_end(node: ast.stmt | ast.ExceptHandler) -> int:
    body: Any = getattr(node, "body", None)
    if not body or not isinstance(body, list):
        return node.end_lineno or node.lineno
    return max(node.lineno, _start_line(body[0]) - 1)


def _start_line(node: Any) -> int:
    """The first line of a definition, decorators included."""
    lines: list[int] = [d.lineno for d in getattr(node, "decorator_list", [])]
    return min([*lines, int(node.lineno)])


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
