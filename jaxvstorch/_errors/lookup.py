"""Finds the entry of an error in what a person pastes: a message, a traceback, a log."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from jaxvstorch._errors.entry import Entry, Pattern, entries
from jaxvstorch._errors.frames import Line, is_installed, is_of_framework, raised_at
from jaxvstorch._errors.plain import plain

# A line that ends a traceback or begins a warning: where it was given, a class, with its module or
# without, and the message after it.
_RAISED = re.compile(
    r"^(?:E +)?(?:(?P<file>[^\n]*(?:\.py|>)):(?P<number>\d+): )?"
    r"(?:[\w.]+\.)?(?P<name>[A-Za-z_]\w*)(?:: |:?$)",
    re.MULTILINE,
)
_ERROR = ("Error", "Warning", "Exception")
_WARNED_CODE = re.compile(r"^ {2,}(\S.*)", re.MULTILINE)
# The lines of an error begin at a traceback, or at the heading of a test that pytest reports.
_BOUNDARY = re.compile(r"^.*\(most recent call last\)|^([_=])\1{4,} .* \1{5,}$", re.MULTILINE)
_EMPTY_LINE = re.compile(r"\n\s*\n")
_WORD = re.compile(r"[A-Za-z_]{3,}")


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


@dataclass(frozen=True)
class _Hit:
    """Where the words of an entry are in a text.

    Attributes:
        heading: the line with the class of the message; ``None`` if it has none.
        is_class: whether that is the entry's class.
        start: where the message begins, with its class.
        end: where the words end.
    """

    entry: Entry
    heading: re.Match[str] | None
    is_class: bool
    start: int
    end: int


def find(text: str) -> list[Match]:
    """The entries whose messages are in a text: the last one raised first.

    Args:
        text: anything, such as a program's output.
    """
    log = _Log(plain(text))
    last: dict[str, _Hit] = {}
    for entry in entries().values():
        for pattern, match in _matches(entry, log.text):
            hit = log.hit(entry, match)
            if pattern.line and not log.is_in_line(pattern.line, hit):
                continue
            known = last.get(entry.path)
            if known is None or (known.is_class, known.end) <= (hit.is_class, hit.end):
                last[entry.path] = hit
    hits = sorted(last.values(), key=lambda hit: (hit.is_class, hit.end))
    return [log.match(hit) for hit in reversed(hits)]


class _Log:
    """A text, and where messages and tracebacks begin in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._raised = list(_RAISED.finditer(text))
        self._starts = [at.start() for at in self._raised]
        self._boundaries = [0, *(at.start() for at in _BOUNDARY.finditer(text)), len(text)]
        self._lines: dict[tuple[int, int], tuple[Line | None, bool]] = {}

    def hit(self, entry: Entry, match: re.Match[str]) -> _Hit:
        """The line with the class of the message that matches, and where the message is."""
        above = bisect_right(self._starts, match.start())
        inside = self._raised[above : bisect_left(self._starts, match.end())]
        inside = [at for at in inside if at["name"] in entry.classes]
        heading = next(reversed(inside or self._raised[max(above - 1, 0) : above]), None)
        start = heading.start() if heading else 0
        if match.start() > self._end_of_paragraph(start):  # no class is above it
            heading, start = None, self.text.rfind("\n", 0, match.start()) + 1
        is_class = heading is not None and heading["name"] in entry.classes
        return _Hit(entry, heading, is_class, start, match.end())

    def match(self, hit: _Hit) -> Match:
        """What a hit says: the message, to where the next one begins, and the reader's line."""
        heading, below = hit.heading, self._end_of_paragraph(max(hit.start, hit.end))
        others = self._raised[bisect_right(self._starts, hit.start) :]
        others = [at for at in others if at.start() > (hit.start if at["file"] else below)]
        ends = (at.start() for at in others if at["name"].endswith(("Error", "Warning")))
        end = next(ends, len(self.text))
        is_warned = heading is not None and heading["file"]
        if is_warned:
            end = min(end, self._boundary_below(hit.end))
        whole = self.text[heading.end() if heading else hit.start : end]
        place = _warned_at(heading, whole) if heading and is_warned else self._place(hit)
        shown = self.text[hit.start : max(hit.end, min(below, end))].strip()
        return Match(hit.entry, shown, *place, whole)

    def is_in_line(self, expression: str, hit: _Hit) -> bool:
        """Whether the reader's line that raised a message matches."""
        line, _ = self._raised_in(*self._traceback(hit))
        return line is not None and re.search(expression, line.code) is not None

    def _place(self, hit: _Hit) -> tuple[Line | None, bool]:
        """The reader's line that raised a message, and whether a library raised it."""
        begin, end = self._traceback(hit)
        # What another process or thread raised has no line of the reader's in its own traceback.
        parts = ((begin, end), (0, end), (0, len(self.text)))
        places = (self._raised_in(*part) for part in parts)
        return next((place for place in places if place[0]), (None, self._raised_in(*parts[-1])[1]))

    def _traceback(self, hit: _Hit) -> tuple[int, int]:
        """Where the traceback of a message begins, and where the next one does."""
        above = bisect_right(self._boundaries, hit.start) - 1
        return self._boundaries[above], self._boundary_below(hit.end)

    def _raised_in(self, begin: int, end: int) -> tuple[Line | None, bool]:
        if (begin, end) not in self._lines:
            self._lines[begin, end] = raised_at(self.text[begin:end])
        return self._lines[begin, end]

    def _boundary_below(self, end: int) -> int:
        return self._boundaries[bisect_left(self._boundaries, end)]

    def _end_of_paragraph(self, start: int) -> int:
        """Where the first empty line after ``start`` is, or the text ends."""
        empty = _EMPTY_LINE.search(self.text, start)
        return empty.start() if empty else len(self.text)


def _warned_at(heading: re.Match[str], message: str) -> tuple[Line | None, bool]:
    """The reader's line that a warning names, and whether the warning names a library's."""
    file = heading["file"].strip()
    if is_installed(file):
        return None, not is_of_framework(file)
    code = _WARNED_CODE.search(message)
    return Line(file, int(heading["number"]), code[1].strip() if code else "", False), False


def _matches(entry: Entry, text: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
    for pattern in entry.patterns:
        for match in pattern.expression.finditer(text):
            yield pattern, match
    for number in entry.ids:  # Dynamo's message ends in the address of its own page
        if _with_id()[number] == 1:
            address = Pattern(rf"/{number.lower()}\.html")
            for match in address.expression.finditer(text):
                yield address, match


@cache
def _with_id() -> Counter[str]:
    """How many entries each number of a graph break belongs to."""
    return Counter(number for entry in entries().values() for number in entry.ids)


def of_error(error: BaseException, message: str, line: str = "") -> Entry | None:
    """The entry of an error that a line raised; ``None`` if the index does not know it."""
    return of_message(message, {kind.__name__ for kind in type(error).__mro__}, line)


def of_message(message: str, classes: Collection[str], line: str = "") -> Entry | None:
    """The entry of a message whose error is of one of these classes, by their names."""
    known = (e for e in entries().values() if e.error and e.classes & {*classes})
    return next((e for e in known if any(p.fits(message, line) for p in e.patterns)), None)


def nearest(text: str, count: int = 3) -> list[Entry]:
    """The entries that share the most, and the rarest, words with a text."""
    words = set(_words(_last_message(plain(text))))
    of_entries = {path: set(_words(_content(entry))) for path, entry in entries().items()}
    rarity = Counter(word for found in of_entries.values() for word in found)
    weights = {
        path: sum(math.log(len(of_entries) / rarity[word]) for word in words & found)
        / math.sqrt(len(found))
        for path, found in of_entries.items()
    }
    best = sorted(weights, key=weights.__getitem__, reverse=True)[:count]
    return [entries()[path] for path in best if weights[path] > 0]


def _last_message(text: str) -> str:
    """The last message with a class, to the end; all of a text without one."""
    raised = [at.start() for at in _RAISED.finditer(text) if at["name"].endswith(_ERROR)]
    return text[raised[-1] :] if raised else text


def _content(entry: Entry) -> str:
    patterns = " ".join(pattern.text for pattern in entry.patterns)
    return f"{entry.title} {entry.error or entry.warning} {patterns} {entry.why}"


def _words(text: str) -> Iterable[str]:
    return (word.lower() for word in _WORD.findall(text))
