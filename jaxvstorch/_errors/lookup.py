"""Finds the entry of an error in what a person pastes: a message, a traceback, a log."""

import bisect
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from jaxvstorch._errors.entry import Entry, entries

# A line that ends a traceback: a class, with its module or without, and the message after it.
_RAISED = re.compile(r"^(?:E +)?(?:[\w.]+\.)?([A-Za-z_]\w*)(?:: |:?$)", re.MULTILINE)
_FRAME = re.compile(
    r'^[ \t>|E]*File "(?P<file>[^"\n]+)", line (?P<number>\d+)(?:, in .*)?\n'
    r"(?P<code>[^\n]*)|"
    # IPython's, of a cell: `Cell In[3], line 2` and `----> 2 if x > 0:` below it.
    r"^(?P<cell>(?:Cell |Input )?In ?\[\d+\]|<ipython-input-[^>]+>)[^\n]*\n(?P<lines>(?:.*\n)*?)"
    r"-+> ?(?P<at>\d+) (?P<cell_code>[^\n]*)",
    re.MULTILINE,
)
_INSTALLED = re.compile(r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python\d|^<(frozen|string)")
_FRAMEWORK = re.compile(
    r"[/\\](site|dist)-packages[/\\](jax|jaxlib|torch|numpy)[/\\]|^<(frozen|string)|"
    r"[/\\]lib[/\\]python\d[\d.]*[/\\](?!(site|dist)-packages[/\\])"
)
_USER_CODE = "from user code:"  # Dynamo's heading of the frames that it was tracing
_WORD = re.compile(r"[A-Za-z_]{3,}")


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


@dataclass(frozen=True)
class Match:
    """An entry that a text is about.

    Attributes:
        entry: of the index.
        message: what matched, from there to the end of its paragraph.
        line: the last line of the reader's own code; ``None`` if the text has none.
        in_library: whether the error was raised by a library that the reader's line called.
    """

    entry: Entry
    message: str
    line: Line | None
    in_library: bool = False

    @property
    def cure(self) -> str:
        """What to do, by what the reader's line does."""
        code = self.line.code if self.line else ""
        return self.entry.cure(code, self.message, self.in_library).text


def find(text: str) -> list[Match]:
    """The entries whose messages are in a text: the last one raised first.

    Args:
        text: anything, such as a program's output.
    """
    lines = list(frames(text))
    own = next((line for line in reversed(lines) if not line.in_library), None)
    others = (line for line in reversed(lines) if not _FRAMEWORK.search(line.file))
    in_library = (raised_in := next(others, None)) is not None and raised_in.in_library
    raised = [(match.start(), match[1]) for match in _RAISED.finditer(text)]
    starts = [start for start, _ in raised]
    found: list[tuple[bool, int, Match]] = []
    for entry in entries().values():
        for match in _matches(entry, text):
            number = bisect.bisect_right(starts, match.start()) - 1
            start, name = raised[number] if number >= 0 else (0, "")
            message = _paragraph(text, start)
            if match.start() > start + len(message):  # it is in no message of that class
                start, name = text.rfind("\n", 0, match.start()) + 1, ""
                message = _paragraph(text, start)
            is_class = name == (entry.error or entry.warning)
            found.append((is_class, match.end(), Match(entry, message, own, in_library)))
    found.sort(key=lambda each: each[:2])
    last = {match.entry.path: match for *_, match in found}
    order = dict.fromkeys(match.entry.path for *_, match in reversed(found))
    return [last[path] for path in order]


def _matches(entry: Entry, text: str) -> Iterator[re.Match[str]]:
    for pattern in entry.patterns:
        yield from pattern.expression.finditer(text)
    for number in entry.ids:  # Dynamo's message ends in the address of its own page
        if _with_id()[number] == 1:
            yield from re.finditer(rf"/{number.lower()}\.html", text)


@cache
def _with_id() -> Counter[str]:
    """How many entries each number of a graph break belongs to."""
    return Counter(number for entry in entries().values() for number in entry.ids)


def of_error(error: BaseException, message: str) -> Entry | None:
    """The entry of an error that was raised here; ``None`` if the index does not know it."""
    return of_message(message, {kind.__name__ for kind in type(error).__mro__})


def of_message(message: str, classes: Collection[str]) -> Entry | None:
    """The entry of a message whose error is of one of these classes, by their names."""
    known = (entry for entry in entries().values() if entry.error in classes)
    return next((e for e in known if any(p.expression.search(message) for p in e.patterns)), None)


def frames(text: str) -> Iterator[Line]:
    """The lines of code that a traceback names; where Dynamo names the user's code, those alone."""
    _, heading, below = text.rpartition(_USER_CODE)
    for match in _FRAME.finditer(below if heading else text):
        file = match["file"] or match["cell"]
        number = match["number"] or match["at"]
        code = match["code"] or match["cell_code"] or ""
        yield Line(file, int(number), code.strip(), bool(_INSTALLED.search(file)))


def nearest(text: str, count: int = 3) -> list[Entry]:
    """The entries that share the most, and the rarest, words with a text."""
    words = set(_words(text))
    of_entries = {path: set(_words(_content(entry))) for path, entry in entries().items()}
    rarity = Counter(word for found in of_entries.values() for word in found)
    weights = {
        path: sum(math.log(len(of_entries) / rarity[word]) for word in words & found)
        / math.sqrt(len(found))
        for path, found in of_entries.items()
    }
    best = sorted(weights, key=weights.__getitem__, reverse=True)[:count]
    return [entries()[path] for path in best if weights[path] > 0]


def _content(entry: Entry) -> str:
    patterns = " ".join(pattern.text for pattern in entry.patterns)
    return f"{entry.title} {entry.error or entry.warning} {patterns} {entry.why}"


def _words(text: str) -> Iterable[str]:
    return (word.lower() for word in _WORD.findall(text))


def _paragraph(text: str, start: int) -> str:
    """The text from a line to the next empty one."""
    return re.split(r"\n\s*\n", text[start:], maxsplit=1)[0].strip()
