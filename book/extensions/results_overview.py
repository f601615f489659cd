"""Which framework took less time: an overview of all topics, and one topic by its functions."""

from collections.abc import Mapping, Sequence

from benchmarks.report import summary
from benchmarks.report.rows import Row
from benchmarks.report.schema import Results
from benchmarks.report.strips import SIDES, Axis, Dot, in_words, lane, strips

_SIZES = '<div class="sizes"><span>small ○</span><span>large ●</span></div>'
_NOTHING = "<div></div>"


def overview(results: Results, names: Mapping[str, str]) -> str:
    """Two lanes for each topic, all on one axis; empty where no function was timed in two sizes.

    Args:
        results: one machine's.
        names: what each topic is called, with a link to its results, in the order of the book.
    """
    topics, axis = summary.by_topic(results), _axis(results)
    if axis is None:
        return ""
    heads = '<b class="jax">●</b><b>≈</b><b class="torch">▲</b>'
    parts = [_NOTHING * 2, SIDES, f'<div class="counts head"><span>{heads}</span></div>']
    for topic in [topic for topic in names if topic in topics]:
        small, large = zip(*topics[topic], strict=True)
        lanes = _lane(axis, small, "small", True) + _lane(axis, large, "large", False)
        parts += [
            f'<div class="row-name">{names[topic]}</div>',
            _SIZES,
            f'<div class="lanes">{lanes}</div>',
        ]
        parts.append(f'<div class="counts">{_counts(small)}{_counts(large)}</div>')
    return strips("overview", [*parts, _NOTHING * 2, axis.labels(), _NOTHING])


def counted(results: Results, missing: int) -> str:
    """How many functions stand behind the counts, and how many sessions behind each.

    Args:
        results: one machine's.
        missing: how many pairs could be timed and are not among them.
    """
    small = [small for several in summary.by_topic(results).values() for small, _ in several]
    ratios = summary.ratios(small)
    count = summary.count(ratios)
    sessions = sorted({ratio.sessions for ratio in ratios if ratio.sessions > 1})
    parts = []
    if sessions:
        between = " to ".join(map(str, dict.fromkeys((sessions[0], sessions[-1]))))
        parts.append(f"Functions counted: {count.all}, each timed in {between} sessions.")
    if count.once:
        parts.append(f"Timed in one session, which decides nothing: {count.once}.")
    if missing:
        parts.append(f"Pairs that no session has timed yet: {missing}.")
    return " ".join(parts)


def topic(results: Results, name: str) -> str:
    """One lane for each function of a topic with its small input, and one with its large."""
    pairs, axis = summary.by_topic(results).get(name), _axis(results)
    if not pairs or axis is None:
        return ""
    parts = [_NOTHING * 2, SIDES, '<div class="counts head"><span>JAX / PyTorch</span></div>']
    for small, large in pairs:
        sizes = f"<span>{small.size:,}</span><span>{large.size:,}</span>"
        lanes = "".join(_single_lane(axis, row, row is small) for row in (small, large))
        values = "".join(f"<span>{row.ratio()}</span>" for row in (small, large))
        parts.append(f'<div class="row-name"><code>{small.name}</code></div>')
        parts.append(f'<div class="sizes">{sizes}</div><div class="lanes">{lanes}</div>')
        parts.append(f'<div class="counts">{values}</div>')
    return strips("one-topic", [*parts, _NOTHING * 2, axis.labels(), _NOTHING])


def _axis(results: Results) -> Axis | None:
    """One axis for all topics, so that they can be compared."""
    pairs = [pair for several in summary.by_topic(results).values() for pair in several]
    return Axis(summary.ratios([row for pair in pairs for row in pair])) if pairs else None


def _dots(rows: Sequence[Row]) -> list[Dot]:
    return [Dot(f"{r.name}, {r.size:,}", ratio) for r in rows if (ratio := r.ratio())]


def _lane(axis: Axis, rows: Sequence[Row], size: str, hollow: bool) -> str:
    dots = _dots(rows)
    alternative = "; ".join(f"{dot.title}, {in_words(dot.ratio)}" for dot in dots)
    return lane(axis, dots, f"{size} inputs: {alternative}", hollow=hollow)


def _single_lane(axis: Axis, row: Row, hollow: bool) -> str:
    (dot,) = _dots([row])
    return lane(axis, [dot], f"{dot.title}: {in_words(dot.ratio)}", hollow=hollow, height=15)


def _counts(rows: Sequence[Row]) -> str:
    count = summary.count(summary.ratios(rows))
    alternative = f"took less: JAX {count.jax}, PyTorch {count.torch}, neither {count.neither}"
    return (
        f'<span role="img" aria-label="{alternative}">'
        f'<b class="jax" title="JAX took less">{count.jax}</b>'
        f'<b title="the sessions disagree">{count.neither}</b>'
        f'<b class="torch" title="PyTorch took less">{count.torch}</b></span>'
    )
