"""The verdict on a name, and whether its line is right."""

import warnings
from dataclasses import replace

import torch

from jaxvstorch._port.map.kinds import rarity
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning
from jaxvstorch._port.map.verdict import NameDifference, Verdict
from tools.check_map.from_jax import elsewhere
from tools.check_map.tally import Tally
from tools.check_map.trial import try_row

# Differences between results that count as equal.
SLIGHT = frozenset({
    "width", "dtype", "rounding", "0-d", "only PyTorch raises", "drawn again", "kink",
    "only JAX differentiates", "out of range",
})  # fmt: skip
ENOUGH = 0.5  # share of the calls that must agree, except for slight differences


def judge(row: Row) -> Verdict:
    """Try a name, and the JAX that people write first for it."""
    # The first torch.compile of a process switches these checks off.
    torch.distributions.Distribution.set_default_validate_args(True)
    # A line may switch compiling off, as that of jax.disable_jit does: only for its own calls.
    with torch.compiler.set_stance("default"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where they are errors, a call would differ by them
        return _judged(row)


def _judged(row: Row) -> Verdict:
    tally = try_row(row)
    own = _differences(tally)
    first = row.option("first")
    of_first = _differences(try_row(replace(row, expression=first))) if first else ()
    # What the line shows too is no reason against the other.
    apart = tuple(d for d in of_first if (d.kind, d.call) not in {(o.kind, o.call) for o in own})
    return Verdict(tally.tried, tally.agreed, own, _gravest(apart or of_first))


def _gravest(differences: tuple[NameDifference, ...]) -> tuple[NameDifference, ...]:
    """The most telling difference: in an ordinary call, values before rounding, errors last."""
    order = ("value", "distribution", "shape", "results", "NaN", "only JAX raises", "dtype")
    graver = [difference for kind in order for difference in differences if difference.kind == kind]
    graver.sort(key=lambda difference: rarity(difference.call))
    return tuple(graver[:1]) or differences[:1]


def _differences(tally: Tally) -> tuple[NameDifference, ...]:
    return tuple(
        NameDifference(kind, shown.call, shown.difference.torch, shown.difference.jax, shown.times)
        for kind, shown in sorted(tally.differences.items())
    )


def complaint(row: Row, verdict: Verdict) -> str | None:
    """Why a line is wrong, if it is."""
    if meaning(row).expression is None or elsewhere(row):
        return None
    if not verdict.calls:
        return "nothing was tried: give arguments after `try:`"
    # A change in place, such as eq_, keeps the dtype of its array.
    slight = SLIGHT if row.form_of else {"width", "drawn again"}
    kinds = {difference.kind for difference in verdict.differences}
    times = {difference.kind: difference.times for difference in verdict.differences}
    refused = times.pop("refused", 0)
    # A program that runs in JAX makes no call that JAX refuses.
    spared = SLIGHT | ({"only JAX raises", "dtypes"} if row.framework == "jax" else set())
    grave = {kind: n for kind, n in times.items() if kind not in spared}
    # JAX's indices have 32 bits, so that none of its functions that return them gives the same.
    indices = row.framework == "jax" and sum(grave.values()) < verdict.calls - refused
    if not verdict.agreed and not kinds & slight and not indices:
        return "no call gave the same"
    # Gradients at kinks say little of whether a line is right, so they do not count.
    counted = verdict.calls - refused - verdict.tried.get("kink", 0)
    if sum(grave.values()) > (1 - ENOUGH) * counted:
        return f"most calls differ ({', '.join(grave)}): the expression is something else"
    if row.option("first") and not verdict.first:
        return "what people write first gives the same: leave it out, or write that"
    return None
