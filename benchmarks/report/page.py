"""One page of a machine's results: its ratios beside those of a published machine."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from benchmarks.report.provenance import label, machine_name, provenance
from benchmarks.report.rows import Ratio, plain_rows, rows
from benchmarks.report.schema import Results
from benchmarks.report.strips import SIDES, Axis, Dot, in_words, lane, strips
from jaxvstorch._measure.durations import seconds

Key = tuple[str, str, int]  # topic, name, size

_CSS = Path(__file__).with_name("results.css")
_OWN_CSS = """
:root {
  color-scheme: light dark;
  --jaxvstorch-jax: light-dark(#0b6e6e, #6fd0c8);
  --jaxvstorch-torch: light-dark(#a33f16, #f5a37f);
  --pst-color-background: light-dark(#fff, #14181e);
  --pst-color-text-base: light-dark(#222832, #ced6dd);
  --pst-color-text-muted: light-dark(#48566b, #9ca4af);
}
body {
  background: var(--pst-color-background);
  color: var(--pst-color-text-base);
  font: 1rem/1.5 system-ui, sans-serif;
  margin: 2rem auto;
  max-width: 72rem;
  padding: 0 1rem;
}
.problem { color: var(--jaxvstorch-torch); font-weight: 600; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.25rem; }
"""


def page(yours: Results, theirs: Results | None) -> str:
    """The HTML of the page, which needs no other file.

    Args:
        yours: this machine's.
        theirs: the published machine's; ``None`` where there is none to compare with.
    """
    mine, published = _ratios(yours), _ratios(theirs) if theirs else {}
    axis = Axis([*mine.values(), *(published[key] for key in mine if key in published)])
    topics = list(dict.fromkeys(topic for topic, _, _ in mine))
    body = [
        "<h1>JAX and PyTorch on this machine</h1>",
        f"<p>{escape(_opening(yours, mine))}</p>",
        f'<p class="measured-on">This machine ●: {escape(provenance(yours))}.'
        + (
            f"<br>Published ○: {escape(machine_name(theirs))}, {theirs.date[:10]}."
            if theirs
            else ""
        )
        + "</p>",
        *(f'<p class="problem">{escape(problem)}</p>' for problem in yours.warnings),
    ]
    for topic in topics:
        of_topic = {key: ratio for key, ratio in mine.items() if key[0] == topic}
        body.append(f"<h2>{escape(topic)}</h2>{_topic(axis, of_topic, published)}")
    if not mine:
        body.append("<p>No function was timed in both frameworks.</p>")
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>JAX and PyTorch: {escape(label(yours))}</title>"
        f"<style>{_OWN_CSS}{_CSS.read_text(encoding='utf-8')}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _ratios(results: Results) -> dict[Key, Ratio]:
    """Of compiled calls, by function and size."""
    return {
        (row.topic, row.name, row.size): ratio
        for row in plain_rows(rows(results))
        if (ratio := row.ratio())
    }


def _opening(yours: Results, mine: Mapping[Key, Ratio]) -> str:
    less = sum(ratio.high < 1 for ratio in mine.values())
    more = sum(ratio.low > 1 for ratio in mine.values())
    number = len(yours.sessions)
    took = seconds(yours.seconds) if yours.seconds < 60 else f"{yours.seconds / 60:.0f} minutes"
    sessions = "one session" if number == 1 else f"{number} sessions"
    text = (
        f"Of {len(mine)} timings of compiled calls, jax.jit took less in {less} and torch.compile "
        f"in {more}; {sessions}, {took}."
    )
    once = " One session decides nothing; `--sessions 5` runs five."
    return text + once * (number == 1)


def _topic(axis: Axis, mine: Mapping[Key, Ratio], published: Mapping[Key, Ratio]) -> str:
    parts = [
        "<div></div><div></div>", SIDES,
        '<div class="counts head"><span>JAX / PyTorch</span></div>',
    ]  # fmt: skip
    for key, ratio in mine.items():
        _, name, size = key
        both = [("this machine", ratio, False)]
        both += [("published", published[key], True)] if key in published else []
        titles = "".join(f"<span>{title}</span>" for title, _, _ in both)
        lanes = "".join(
            _lane(axis, f"{title}, {name}, {size:,}", ratio, hollow)
            for title, ratio, hollow in both
        )
        values = "".join(f"<span>{ratio}</span>" for _, ratio, _ in both)
        parts.append(f'<div class="row-name"><code>{escape(name)}</code> {size:,}</div>')
        parts.append(f'<div class="sizes">{titles}</div><div class="lanes">{lanes}</div>')
        parts.append(f'<div class="counts">{values}</div>')
    return strips("one-topic", [*parts, "<div></div><div></div>", axis.labels(), "<div></div>"])


def _lane(axis: Axis, title: str, ratio: Ratio, hollow: bool) -> str:
    alternative = f"{title}: {in_words(ratio)}"
    return lane(axis, [Dot(title, ratio)], alternative, hollow=hollow, height=15)
