"""Runs the code of an entry, and keeps what came of it."""

import ast
import contextlib
import importlib
import io
import linecache
import logging
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jaxvstorch._errors.entry import Entry

# What the code of an entry may use without importing it.
PRELUDE = {
    "jax": "import jax\nimport jax.numpy as jnp\nimport numpy as np",
    "torch": "import numpy as np\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn",
}
_LOGGERS = {"jax": ("jax",), "torch": ("torch",)}


@dataclass(frozen=True)
class Trial:
    """What one piece of code did.

    Attributes:
        value: of its last line, where that is an expression.
        error: what it raised.
        warned: the class and the message of each warning; ``"logged"`` is the class of a log record.
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
    scope: dict[str, Any] = {"__name__": "snippet"}
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
    warned = [(warning.category.__name__, str(warning.message)) for warning in caught]
    return Trial(value, error, tuple(warned + records), lines[-1] if lines else 0)


@contextlib.contextmanager
def _records(framework: str) -> Iterator[list[tuple[str, str]]]:
    """What the framework's loggers write, as the warning ``"logged"``; nothing is printed."""
    found: list[tuple[str, str]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(("logged", record.getMessage()))

    handler = Keep(logging.WARNING)
    with contextlib.ExitStack() as stack:
        for name in _LOGGERS[framework]:
            logger = logging.getLogger(name)
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        yield found


def _reset(framework: str) -> None:
    if framework == "torch":
        importlib.import_module("torch._dynamo").reset()


def matches(entry: Entry, trial: Trial) -> list[str]:
    """The messages of a trial that are the entry's own."""
    kind = entry.error or entry.warning
    return [
        message
        for name, message in trial.said
        if name == kind and any(p.expression.search(message) for p in entry.patterns)
    ]
