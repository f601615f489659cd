"""The lines of code that a traceback names, as Python, IPython and pytest print it."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

_FRAME = re.compile(
    r'^[ \t>|E]*File "(?P<file>[^"\n]+)", line (?P<number>\d+)(?:, in .*)?\n'
    r"(?P<code>[^\n]*)|"
    # IPython's, of a cell or a file: `Cell In[3], line 2` and `----> 2 if x > 0:` below it.
    r"^(?:(?P<cell>(?:Cell |Input )?In ?\[\d+\]|<ipython-input-[^>]+>)[^\n]*|"
    r"(?:File )?(?P<module>[^\s\"][^\n\"]*?\.py)(?::\d+,)? in [^\n]*)\n(?P<lines>(?:.*\n){0,50}?)"
    r"-+> ?(?P<at>\d+) (?P<cell_code>[^\n]*)|"
    # pytest's: `step.py:2: in step` and the line below it, or the line after `>` and `step.py:2: `.
    r"^(?P<test>[^\s>:][^\n:]*\.py):(?P<test_number>\d+): in [^\n]*\n(?P<test_code> +[^\n]*)|"
    r"^>(?P<last_code> [^\n]*)\n(?:(?!>|\S+\.py:\d)[^\n]*\n)*"
    r"(?P<last>\S[^\n:]*\.py):(?P<last_number>\d+): ",
    re.MULTILINE,
)
_LIBRARY = "|".join(sys.stdlib_module_names)
_PYTHON = (
    rf"^<(frozen|string)|\\[Ll]ib\\({_LIBRARY})(\.py$|\\)|"
    r"[/\\]lib[/\\]python\d[\d.]*[/\\](?!(site|dist)-packages[/\\])"
)
_INSTALLED = re.compile(rf"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python\d|{_PYTHON}")
_FRAMEWORK = re.compile(rf"[/\\](site|dist)-packages[/\\](jax|jaxlib|torch|numpy)[/\\]|{_PYTHON}")
_USER_CODE = "from user code:"  # Dynamo's heading of the frames that it was tracing


@dataclass(frozen=True)
class Line:
    """A line of a traceback.

    Attributes:
        file: as the traceback names it.
        number: from 1.
        code: without its indentation.
        in_library: whether it is in an installed package or in Python's own library.
    """

    file: str
    number: int
    code: str
    in_library: bool


def is_installed(file: str) -> bool:
    """Whether a file is in an installed package or in Python's own library."""
    return _INSTALLED.search(file) is not None


def is_of_framework(file: str) -> bool:
    """Whether a file is in JAX, PyTorch, NumPy or Python's own library."""
    return _FRAMEWORK.search(file) is not None


def frames(text: str) -> Iterator[Line]:
    """The lines of code that a traceback names; where Dynamo names the user's code, those alone."""
    _, heading, below = text.rpartition(_USER_CODE)
    for match in _FRAME.finditer(below if heading else text):
        file = match["file"] or match["cell"] or match["module"] or match["test"] or match["last"]
        number = match["number"] or match["at"] or match["test_number"] or match["last_number"]
        codes = (match[name] for name in ("code", "cell_code", "test_code", "last_code"))
        code = next(filter(None, codes), "")
        yield Line(file, int(number), code.strip(), is_installed(file))


def raised_at(text: str) -> tuple[Line | None, bool]:
    """The reader's last line in a traceback, and whether a library below it raised the error."""
    lines = list(frames(text))
    own = next((line for line in reversed(lines) if not line.in_library), None)
    others = (line for line in reversed(lines) if not is_of_framework(line.file))
    raised = next(others, None)
    return own, raised is not None and raised.in_library
