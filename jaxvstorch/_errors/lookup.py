"""Finds the entry of an error in what a person pastes: a message, a traceback, a log."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from jaxvstorch._errors.entry import Entry, entries

# A line that ends a traceback or begins a warning: where it was given, a class, with its module or
# without, and the message after it.
_RAISED = re.compile(
    r"^(?:E +)?(?:(?P<file>[^\n]*(?:\.py|>)):(?P<number>\d+): )?"
    r"(?:[\w.]+\.)?(?P<name>[A-Za-z_]\w*)(?:: |:?$)",
    re.MULTILINE,
)
_WARNED_CODE = re.compile(r"^ {2,}(\S.*)", re.MULTILINE)
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
        message: what matched, with its class, to the end of its paragraph.
        line: the last line of the reader's own code; ``None`` if the text has none.
        in_library: whether the error was raised by a library that the reader's line called.
        whole: all of the message, without its class.
    """

    entry: Entry
    message: str
    line: Line | None
    in_library: bool = False
    whole: str = ""

    @property
    def cure(self) -> str:
        """What to do, by what the reader's line does."""
        code = self.line.code if self.line else ""
        return self.entry.cure(code, self.whole, self.in_library).text


def find(text: str) -> list[Match]:
    """The entries whose messages are in a text: the last one raised first.

    Args:
        text: anything, such as a program's output.
    """
    lines = list(frames(text))
    own = next((line for line in reversed(lines) if not line.in_library), None)
    others = (line for line in reversed(lines) if not _FRAMEWORK.search(line.file))
    in_library = (raised_in := next(others, None)) is not None and raised_in.in_library
    raised = list(_RAISED.finditer(text))
    found: list[tuple[bool, int, Match]] = []
    for entry in entries().values():
        for match in _matches(entry, text):
            heading, start, end = _message(text, raised, match, entry.classes)
            whole = text[heading.end() if heading else start : end]
            warned = _warned_at(heading, whole) if heading and heading["file"] else None
            place = warned or (own, in_library)
            shown = _paragraph(text[:end], start, match.end())
            is_class = heading is not None and heading["name"] in entry.classes
            found.append((is_class, match.end(), Match(entry, shown, *place, whole)))
    found.sort(key=lambda each: each[:2])
    last = {match.entry.path: match for *_, match in found}
    order = dict.fromkeys(match.entry.path for *_, match in reversed(found))
    return [last[path] for path in order]


def _message(
    text: str, raised: list[re.Match[str]], match: re.Match[str], classes: Collection[str]
) -> tuple[re.Match[str] | None, int, int]:
    """The line with the class of the message that matches, and where the message is."""
    above = [at for at in raised if at.start() <= match.start()]
    inside = [at for at in raised if match.start() < at.start() < match.end()]
    inside = [at for at in inside if at["name"] in classes]
    heading = next(reversed(inside or above), None)
    start = heading.start() if heading else 0
    if match.start() > start + len(_paragraph(text, start, start)):  # no class is above it
        heading, start = None, text.rfind("\n", 0, match.start()) + 1
    below = start + len(_paragraph(text, start, match.end()))
    others = (at for at in raised if at.start() > (start if at["file"] else below))
    ends = (at.start() for at in others if at["name"].endswith(("Error", "Warning")))
    return heading, start, next(ends, len(text))


def _warned_at(heading: re.Match[str], message: str) -> tuple[Line | None, bool]:
    """The reader's line that a warning names, and whether the warning names a library's."""
    file = heading["file"].strip()
    if _INSTALLED.search(file):
        return None, _FRAMEWORK.search(file) is None
    code = _WARNED_CODE.search(message)
    return Line(file, int(heading["number"]), code[1].strip() if code else "", False), False


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
    known = (e for e in entries().values() if e.error and e.classes & {*classes})
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


def _paragraph(text: str, start: int, end: int) -> str:
    """The text from a line to the first empty one after ``end``."""
    below = re.split(r"\n\s*\n", text[max(start, end) :], maxsplit=1)[0]
    return (text[start : max(start, end)] + below).strip()
