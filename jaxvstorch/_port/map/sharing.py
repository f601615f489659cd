"""Rows with one JAX expression, which share what differs: a module and its function, say."""

from collections.abc import Sequence
from dataclasses import replace

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.verdict import NameDifference, Verdict

# Their PyTorch functions part where the expression is the same: torch.sign refuses complex numbers.
APART = frozenset({"torch.sgn"})


def same_expression(row: Row) -> tuple[str, ...]:
    """The names of PyTorch whose line has the same expression, this one first."""
    if row.expression is None or row.framework == "jax" or row.name in APART:
        return (row.name,)
    others = (name for name in rows().with_expression(row.expression) if name not in APART)
    return (row.name, *(name for name in others if name != row.name))


def merged(results: Sequence[Verdict]) -> Verdict:
    """The verdicts on rows of one expression as one; the first one's example of a kind is shown."""
    tried: dict[str, int] = {}
    by_kind: dict[str, NameDifference] = {}
    for result in results:
        for trial, times in result.tried.items():
            tried[trial] = tried.get(trial, 0) + times
        for new in result.differences:
            old = by_kind.get(new.kind)
            by_kind[new.kind] = new if old is None else replace(old, times=old.times + new.times)
    differences = tuple(by_kind[kind] for kind in sorted(by_kind))
    return Verdict(tried, sum(r.agreed for r in results), differences, results[0].first)
