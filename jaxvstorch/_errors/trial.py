"""Runs the code of an entry, and keeps what came of it."""

import ast
import contextlib
import importlib
import io
import json
import linecache
import logging
import re
import sys
import traceback
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jaxvstorch._errors.entry import PRELUDE, Entry, entries
from jaxvstorch._frameworks.private import torch as private
from jaxvstorch._messages import tidy

# PyTorch's own modules use TorchScript when they are first imported, and are warned; orbax leaves
# coroutines behind where it raises; a build with CUDA says once that it finds no GPU; and
# Dynamo says that Python 3.13.0 makes guards slow.
_OF_LIBRARIES = re.compile(
    r"`torch\.jit\.|coroutine 'Store\.|No CUDA runtime is found|Guards may run slower on Python"
)


@dataclass(frozen=True)
class Trial:
    """What one piece of code did.

    Attributes:
        value: of its last line, where that is an expression.
        error: what it raised.
        warned: the class and the message of each warning; a log record's class is ``"logged"``.
        line: the number of the line that raised it, from 1; 0 if nothing was raised.
    """

    value: Any = None
    error: BaseException | None = None
    warned: tuple[tuple[str, str], ...] = ()
    line: int = 0

    @property
    def said(self) -> tuple[tuple[str, str], ...]:
        """The class and the message of the error, if there is one, or of each warning."""
        if self.error is None:
            return self.warned
        return ((type(self.error).__name__, str(self.error).strip()),)


def run(framework: str, code: str, name: str = "snippet") -> Trial:
    """Run code of an entry in this process, with all warnings on.

    Args:
        framework: whose prelude it may use.
        code: the code.
        name: of the file that a traceback names.
    """
    _reset(framework)
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    tree = ast.parse(code, file)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    # Dynamo looks the module of a function up by its name.
    module = sys.modules["snippet"] = types.ModuleType("snippet")
    scope = module.__dict__
    exec(PRELUDE[framework], scope)
    value, error = None, None
    with _records(framework) as records, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(tree, file, "exec"), scope)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), file, "eval"), scope)
        except Exception as raised:
            error = raised
    frames = traceback.extract_tb(error.__traceback__) if error else []
    lines = [frame.lineno or 0 for frame in frames if frame.filename == file]
    warned = [(warning.category.__name__, str(warning.message)) for warning in caught] + records
    kept = [each for each in warned if not _OF_LIBRARIES.match(each[1]) or "torch.jit" in code]
    # Dynamo's message names the line that it was reading.
    _, _, traced = str(error).rpartition("from user code:")
    lines += map(int, re.findall(rf'File "{file}", line (\d+)', traced))
    return Trial(value, error, tuple(kept), lines[-1] if lines else 0)


@contextlib.contextmanager
def _records(framework: str) -> Iterator[list[tuple[str, str]]]:
    """What the framework's loggers write, as the warning ``"logged"``; nothing is printed."""
    found: list[tuple[str, str]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(("logged", record.getMessage()))

    handler = Keep(logging.WARNING)
    with contextlib.ExitStack() as stack:
        for name in (framework, *private.LOGGERS):
            logger = logging.getLogger(name)
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield found


def _reset(framework: str) -> None:
    if framework == "torch":
        torch = importlib.import_module("torch")
        torch.compiler.reset()
        # Some warnings are given once in a process; here each trial gives its own.
        torch.set_warn_always(True)


def matches(entry: Entry, trial: Trial) -> list[tuple[str, str]]:
    """The messages of a trial that are the entry's own, each with its class before it."""
    return [
        (name, message)
        for name, message in trial.said
        if name in entry.classes and any(p.expression.search(message) for p in entry.patterns)
    ]


def main(framework: str) -> None:
    """Print what the wrong code of each entry of a framework says, as JSON by the entry's path."""
    said = {}
    for entry in entries().values():
        if entry.framework == framework and entry.wrong:
            done = run(framework, entry.wrong, entry.name)
            own = matches(entry, done)
            if not own and (entry.since or entry.before or entry.cpu_build):
                continue  # another version or build says something else
            if entry.kind != "silence" and not own:
                raise SystemExit(f"{entry.path} says something else: {done.said}")
            kind, message = own[0] if own else ("logged", "")
            prefix = "" if kind == "logged" else f"{kind}: "
            said[entry.path] = {"message": f"{prefix}{tidy(message)}", "line": done.line}
    print(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
