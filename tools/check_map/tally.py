"""Counts of the calls that a name was tried on, and the simplest call of each difference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from jaxvstorch._port.map.kinds import rarity
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference
from jaxvstorch._port.map.running.describe import call_text
from tools.check_map.changing import changed

WORDS = 40  # letters of an error that say which one it is
_OF_ERRORS = frozenset({
    "0-d", "dtypes", "overflow", "two dtypes", "out of range", "only JAX differentiates",
})  # fmt: skip
Run = Callable[[Call], Sequence[Difference]]


@dataclass
class Shown:
    """A kind of difference by its simplest call.

    Attributes:
        difference: what the call gave.
        call: the call, as text.
        times: how many calls showed the kind.
        again: the call itself, and what runs it, where that can be done.
    """

    difference: Difference
    call: str
    times: int
    again: tuple[Call, Run] | None


@dataclass
class Tally:
    """Counts of calls, and the simplest of each kind of difference.

    Attributes:
        tried: how many calls there were, by the kind of trial.
        agreed: how many calls agreed.
        differences: by kind.
    """

    tried: dict[str, int] = field(default_factory=dict)
    agreed: int = 0
    differences: dict[str, Shown] = field(default_factory=dict)

    def add(
        self,
        trial: str,
        call: Call | str,
        differences: Sequence[Difference],
        run: Run | None = None,
    ) -> None:
        """Count a call; ``run`` is what tried it, where it can try a simpler one too."""
        self.tried[trial] = self.tried.get(trial, 0) + 1
        self.agreed += not differences
        text = call if isinstance(call, str) else call_text(call)
        again = (call, run) if isinstance(call, Call) and run and not call.after else None
        for difference in differences:
            old = self.differences.get(difference.kind)
            new = Shown(difference, text, 1 if old is None else old.times + 1, again)
            if old is not None and _weight(old) <= _weight(new):
                old.times += 1
            else:
                self.differences[difference.kind] = new

    def simplify(self) -> None:
        """Show each difference by a smaller call, of rounder numbers, where one shows it too."""
        for kind, shown in self.differences.items():
            for change in (_cut, _cut_more, _rounded):
                if shown.again is None:
                    continue
                call, run = changed(shown.again[0], change), shown.again[1]
                by_kind = {difference.kind: difference for difference in run(call)}
                if kind in by_kind and _same_error(by_kind[kind], shown.difference):
                    new = Shown(by_kind[kind], call_text(call), shown.times, (call, run))
                    shown = new if _weight(new) < _weight(shown) else shown
            self.differences[kind] = shown


def _same_error(new: Difference, old: Difference) -> bool:
    """Whether what raises does so for the reason for which it did."""
    raising = "raises" in old.kind or old.kind in _OF_ERRORS
    return not raising or all(
        a[:WORDS] == b[:WORDS] for a, b in zip(new[1:], old[1:], strict=True) if "Error: " in b
    )


def _cut(x: torch.Tensor) -> torch.Tensor:
    return x.detach()[tuple(slice(2) for _ in x.shape)]


def _cut_more(x: torch.Tensor) -> torch.Tensor:
    return x.detach()[tuple(slice(2 if axis == x.ndim - 1 else 1) for axis in range(x.ndim))]


def _rounded(x: torch.Tensor) -> torch.Tensor:
    return x.detach().round() if x.dtype.is_floating_point else x


def _weight(shown: Shown) -> tuple[bool, int, int, int]:
    """A key that is least for the call that says most: of ordinary numbers, few, and round."""
    sizes: list[int] = []
    if shown.again is not None:
        changed(shown.again[0], lambda x: sizes.append(x.numel()) or x)  # type: ignore[func-returns-value]
    return 0 in sizes, rarity(shown.call), sum(sizes) if sizes else 1000, len(shown.call)
