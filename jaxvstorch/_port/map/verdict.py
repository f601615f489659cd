"""What the check found about each name, as ``verdicts.json`` keeps it."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("verdicts.json")

SAME_OBJECT = "the same object"  # what a form was tried on that is another name of one object


class Agreement(StrEnum):
    """Whether a name is the same in both frameworks, as far as calls of it show."""

    SAME = "the same"
    EXCEPT = "the same but for"
    NO_COUNTERPART = "done another way"


@dataclass(frozen=True)
class NameDifference:
    """A difference, with the simplest call that showed it.

    Attributes:
        kind: such as ``"dtype of the result"``; ``jaxvstorch map`` says what each means.
            ``verdicts.json`` has a short key instead.
        call: the arguments.
        torch: what PyTorch gave.
        jax: what JAX gave.
        times: how many calls showed this kind.
    """

    kind: str
    call: str
    torch: str
    jax: str
    times: int

    def results(self, framework: str) -> tuple[str, str]:
        """What a framework gave, and what the other one gave; of a module's arrays no numbers."""
        torch, jax = self.torch or "a result", self.jax or "a result"
        return (torch, jax) if framework == "torch" else (jax, torch)


@dataclass(frozen=True)
class Verdict:
    """What the check found about one name.

    Attributes:
        tried: how many calls there were, by dtype or by another kind of trial.
        agreed: how many calls agreed.
        differences: what differs.
        first: how the JAX that people write first differs, where the line names it.
    """

    tried: dict[str, int]
    agreed: int
    differences: tuple[NameDifference, ...]
    first: tuple[NameDifference, ...] = ()

    @property
    def calls(self) -> int:
        """How many calls were tried."""
        return sum(self.tried.values())


@dataclass(frozen=True)
class NameProbe:
    """One difference in meaning, as an expression of each framework and its value.

    Attributes:
        kind: what it is about.
        torch: the expression in PyTorch.
        jax: the JAX that people write first.
        torch_value: what PyTorch gave.
        jax_value: what JAX gave.
        line_value: what the map's line gave; empty if the probe needs more than names.
        differs: whether the first JAX gave something else; if both raise, they do not differ.
        line_differs: whether the map's line gave something else.
        names: the names of the map in the expression.
    """

    kind: str
    torch: str
    jax: str
    torch_value: str
    jax_value: str
    line_value: str
    differs: bool
    line_differs: bool
    names: tuple[str, ...]


@dataclass(frozen=True)
class Verdicts:
    """All that the check found, and with which versions."""

    versions: dict[str, str]
    names: dict[str, Verdict]
    probes: tuple[NameProbe, ...]

    def write(self, path: Path = FILE) -> None:
        """Write the file, one name a line."""
        names = {name: _short(asdict(verdict)) for name, verdict in sorted(self.names.items())}
        lines = ",\n".join(f"  {json.dumps(n)}: {json.dumps(f)}" for n, f in names.items())
        probes = ",\n".join(f"  {json.dumps(asdict(probe))}" for probe in self.probes)
        path.write_text(
            f'{{"versions": {json.dumps(self.versions)},\n'
            f' "names": {{\n{lines}\n }},\n "probes": [\n{probes}\n ]}}\n',
            encoding="utf-8",
        )


def _short(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value or key == "tried"}


@cache
def verdicts(path: Path = FILE) -> Verdicts:
    """What the check found when each name was last tried."""
    content = json.loads(path.read_text(encoding="utf-8"))
    names = {
        name: Verdict(
            entry["tried"],
            entry.get("agreed", 0),
            tuple(NameDifference(**difference) for difference in entry.get("differences", ())),
            tuple(NameDifference(**difference) for difference in entry.get("first", ())),
        )
        for name, entry in content["names"].items()
    }
    probes = tuple(NameProbe(**(p | {"names": tuple(p["names"])})) for p in content["probes"])
    return Verdicts(content["versions"], names, probes)
