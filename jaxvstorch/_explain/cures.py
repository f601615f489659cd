"""What to do about errors, from the index of errors: by what the line does that raised one."""

import linecache
import re
import traceback
from dataclasses import dataclass

from jaxvstorch._errors import lookup
from jaxvstorch._explain.observations import Location


@dataclass(frozen=True)
class Cure:
    """What to do, and the page of the book that shows it."""

    text: str
    page: str


# What JAX says beside the facts: where it is documented, what is traced, how to ask for more.
_BESIDE = re.compile(
    r"See https?://\S+|^-+$|The error occurred while tracing the function .*? for [\w.]+\.|"
    r"JAX transformations require that functions explicitly return their outputs, and disallow "
    r"saving intermediate values to global state\.|"
    r"^(When the value was created, the final|To catch the leak earlier|For simplicity, JAX has)"
    r"[\s\S]*",
    re.MULTILINE,
)
_NEXT_SENTENCE = re.compile(r"(?<=[\w\])'])\n(?=[A-Z])")
# Files of libraries that call the frameworks; NumPy is what both are called through.
_LIBRARY = re.compile(r"[/\\](?:site|dist)-packages[/\\](?!(?:jax|jaxlib|torch|numpy)[/\\])")
_FRAMEWORK = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d|^<frozen")


def facts(message: str) -> str:
    r"""What a message says of this error: all but what it says of every error of its kind.

    >>> facts("It has shape [3]\nIt depends on x.\nSee https://docs.jax.dev/errors.html")
    'It has shape [3]. It depends on x.'
    """
    lines = (" ".join(line.split()) for line in _BESIDE.sub("", message).splitlines())
    # A line that begins as a sentence ends the one above.
    sentences = _NEXT_SENTENCE.sub(". ", "\n".join(filter(None, lines)))
    return sentences.replace("\n", " ")


def of_error(error: BaseException, message: str, location: Location | None = None) -> Cure:
    """What to do about an error with this message; empty if the index does not know it.

    Args:
        error: what was raised.
        message: its message.
        location: the reader's line that raised it, if it is known.
    """
    line = linecache.getline(*location) if location else ""
    entry = lookup.of_error(error, message, line)
    if entry is None:
        return Cure("", "")
    return Cure(entry.cure(line, message, _in_library(error)).text, entry.page)


def of_break(text: str, location: Location | None, by_line: bool = False) -> Cure | None:
    """What to do about a graph break, by Dynamo's text; ``None`` if the index does not know it.

    Args:
        text: Dynamo's.
        location: the reader's line, if it is known.
        by_line: whether to take only what the index says of such lines.
    """
    entry = lookup.of_message(text, ("Unsupported",))
    if entry is None:
        return None
    cure = entry.cure(linecache.getline(*location) if location else "", text)
    return Cure(cure.text, entry.page) if cure.line or not by_line else None


def _in_library(error: BaseException) -> bool:
    """Whether a library raised it: neither the reader's code nor a framework itself."""
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if _LIBRARY.search(file):
            return True
        if not _FRAMEWORK.search(file):
            return False
    return False
