"""Draw README's two pictures: what ``explain`` prints, and what a call costs.

They are SVG that stands alone, for README is shown on other sites too. A test fails where one of
them is no longer what would be drawn.
"""

import contextlib
import re
import tempfile
from collections.abc import Callable
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.report.files import read_all
from benchmarks.report.provenance import label
from benchmarks.report.schema import Results
from benchmarks.report.summary import first_call, first_calls, smallest_call
from jaxvstorch._command.in_both import explained
from jaxvstorch._command.request import Request
from jaxvstorch._command.target import load
from jaxvstorch._frameworks import COMPILERS, FRAMEWORKS
from jaxvstorch._measure.durations import seconds

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "book" / "_static"
COLOURS = {"jax": "#6fd0c8", "torch": "#f5a37f"}  # as on the dark pages of the book
WIDTH, LABELS, ROW = 860, 250, 26  # pixels

# Rich's own frame without its web font, which a picture may not load.
TERMINAL = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>What explain prints of one function under both compilers</title>
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; \
line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""


def terminal(command: str, printed: Any) -> str:
    """A terminal in which a command printed something for ``rich``."""
    console = Console(
        record=True, width=100, file=StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(f"$ {command}", highlight=False)
    console.print(printed)
    return console.export_svg(title="jaxvstorch", code_format=TERMINAL, unique_id="explain")


def cost(results: Results) -> str:
    """Bars of one machine's results: the smallest call, a new shape, a first call."""
    panels: dict[str, Callable[[str], float | None]] = {
        "one number plus one": lambda name: smallest_call(results, name),
        "a call with a new shape, median": lambda name: first_call(results, name, "new_shape"),
        "a first call, median": lambda name: first_call(results, name),
    }
    marks, y = [], 34
    for title, time_in in panels.items():
        marks.append(text(0, y, title))
        times = {name: time_in(name) or 0.0 for name in FRAMEWORKS}
        for name, time in times.items():
            y += ROW
            length = max(2, (WIDTH - LABELS - 110) * time / max(times.values()))
            marks.append(text(24, y, COMPILERS[name], COLOURS[name]))
            marks.append(
                f'<rect x="{LABELS}" y="{y - 12}" width="{length:.0f}" height="14" rx="2" '
                f'fill="{COLOURS[name]}"/>'
            )
            marks.append(text(LABELS + length + 10, y, seconds(time)))
        y += ROW + 18
    source = f"Each group has its own scale. {len(first_calls(results)['jax'])} functions."
    marks.append(text(0, y, f"{source} {label(results)}, {results.date[:10]}.", "#9198a1"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 40} {y + 24}" role="img">'
        "<title>What a call costs under jax.jit and under torch.compile</title>"
        f'<rect width="{WIDTH + 40}" height="{y + 24}" rx="8" fill="#292929"/>'
        '<g transform="translate(20,0)" font-family="sans-serif" font-size="15">'
        f"{''.join(marks)}</g></svg>\n"
    )


def text(x: float, y: float, words: str, colour: str = "#e6edf3") -> str:
    """Words that begin at a place."""
    return f'<text x="{x:.0f}" y="{y}" fill="{colour}">{escape(words)}</text>'


def pictures() -> dict[str, str]:
    """Both, by the names of their files."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (clip, *_) = re.findall(r"^```python\n(.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
    (command,) = re.findall(r"`(jaxvstorch explain clip[^`]*)`", readme)
    return {
        "readme-explain.svg": terminal(command, explain_clip(clip)),
        "readme-cost.svg": cost(published()),
    }


def published() -> Results:
    """The first of the published files, as the book takes it."""
    results, _ = read_all(ROOT / "benchmarks" / "published")
    return next(iter(results.values()))


def explain_clip(source: str) -> Any:
    """What ``jaxvstorch explain clip.py:clip --arg 'f32[8]' --framework both`` shows."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("clip.py").write_text(source, encoding="utf-8")
        with load("clip.py:clip") as target:
            return explained(target, Request(arguments=("f32[8]",)))


if __name__ == "__main__":
    for name, picture in pictures().items():
        (FOLDER / name).write_text(picture, encoding="utf-8")
