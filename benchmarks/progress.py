"""What is seen of sessions while they run: which case, how many of how many, and the time left."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

_EVERY = 30.0  # seconds between two lines where there is no terminal
_BAR = 12  # characters


class Progress:
    """Two lines that are drawn anew in a terminal; elsewhere a line now and then.

    Parts follow each other, each with a weight: about what part of the time it takes. A process
    that works on one writes what it does into a file, a line each: ``planned 94`` once, then
    ``case NAME`` for each case that begins.
    """

    def __init__(self, weights: Sequence[float], console: Console) -> None:
        """Args: the weights of all parts in their order, and where to draw."""
        self._weights, self._console = weights, console
        self._part, self._title = -1, ""
        self._planned, self._begun, self._case = 0, 0, ""
        self._read = 0
        self._start = self._shown = time.perf_counter()
        self._live = Live(console=console, transient=True, refresh_per_second=4)

    def __enter__(self) -> "Progress":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def begin(self, title: str) -> None:
        """The next part begins."""
        self._part += 1
        self._title, self._case = title, ""
        self._planned = self._begun = self._read = 0
        self._draw()

    def look(self, told: Path) -> None:
        """See what the part's process has written since the last look."""
        text = told.read_text(encoding="utf-8") if told.exists() else ""
        lines = text[: text.rfind("\n") + 1].splitlines()
        for line in lines[self._read :]:
            word, _, rest = line.partition(" ")
            if word == "planned":
                self._planned = int(rest)
            else:
                self._begun, self._case = self._begun + 1, rest
        self._read = len(lines)
        self._draw()

    @property
    def done(self) -> float:
        """How much of everything is done, from 0 to 1."""
        before = sum(self._weights[: self._part])
        ended = max(0, self._begun - 1) / self._planned if self._planned else 0.0
        return (before + self._weights[self._part] * ended) / sum(self._weights)

    def left(self) -> str:
        """How long the rest takes, if it goes on like this; empty where nothing is known yet."""
        elapsed = time.perf_counter() - self._start
        if self.done < 0.02 or elapsed < 5:
            return ""
        minutes = elapsed * (1 - self.done) / self.done / 60
        return f"about {minutes:.0f} min left" if minutes >= 1.5 else "about a minute left"

    def _draw(self) -> None:
        count = f"{self._begun} of {self._planned}" if self._planned else "starts"
        full = round(_BAR * self.done)
        bar = "━" * full + "╌" * (_BAR - full)
        words = [f"{self._title}: {count}", self.left(), self._case]
        if self._console.is_terminal:
            lines = [" · ".join(filter(None, [bar, *words[:-1]])), self._case]
            self._live.update(Text("\n".join(lines), no_wrap=True, overflow="ellipsis"))
        elif time.perf_counter() - self._shown > _EVERY:
            self._shown = time.perf_counter()
            print(" · ".join(filter(None, words)), file=sys.stderr, flush=True)
