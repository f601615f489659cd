"""Counts of the calls that a name was tried on."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from jaxvstorch._port.map.running.compare import Difference


@dataclass
class Tally:
    """Counts of calls, and the first of each kind of difference.

    Attributes:
        tried: how many calls there were, by dtype.
        agreed: how many calls agreed.
        differences: by kind, the first difference, its call, and how many calls showed it.
    """

    tried: dict[str, int] = field(default_factory=dict)
    agreed: int = 0
    differences: dict[str, tuple[Difference, str, int]] = field(default_factory=dict)

    def add(self, dtype: str, call: str, differences: Sequence[Difference]) -> None:
        """Count a call."""
        self.tried[dtype] = self.tried.get(dtype, 0) + 1
        self.agreed += not differences
        for difference in differences:
            first, first_call, times = self.differences.get(difference.kind, (difference, call, 0))
            self.differences[difference.kind] = (first, first_call, times + 1)
