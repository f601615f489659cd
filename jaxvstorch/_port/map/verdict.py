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


# What a kind of difference means, for a reader; the page and the command print it.
KINDS = {
    "width": "PyTorch widens to 64 bits, JAX keeps 32",
    "dtype": "the result has another dtype",
    "rounding": "the last digits differ",
    "value": "the values differ",
    "NaN": "one gives NaN where the other does not",
    "shape": "the result has another shape",
    "results": "the number of results differs",
    "promotion": "an array without dimensions widens the other in JAX, and not in PyTorch",
    "0-d": "JAX accepts no axis for an array without dimensions",
    "only JAX raises": "JAX refuses what PyTorch accepts",
    "only PyTorch raises": "JAX accepts what PyTorch refuses",
    "overflow": "a number that the array's dtype does not hold is taken in another way",
    "dtypes": "JAX accepts a dtype that PyTorch refuses",
    "gradient": "the gradients differ",
    "distribution": "the numbers follow another distribution",
    "buffers": "what a module keeps from a step in training differs",
    "initial weights": "the first weights follow another distribution",
    "drawn again": "a key draws its numbers again, a generator draws others",
    "refused": "a parameter has no counterpart",
}


# The kinds of trial in a reader's words, where these are others; a dtype's name is its own.
TRIALS = {
    "own": "written inputs",
    "form": "beside the name that it is a form of",
    "refused": "refused arguments",
    "gradient": "gradients",
    "bounds": "positions outside",
    "axes": "negative, repeated and no axes",
    "lists": "lists for tuples",
    "module": "modules with the same weights",
    "plain": "plain functions of the weights",
    "draws": "4,000 draws",
    "steps": "twenty steps",
    "constant": "the constant",
}


@dataclass(frozen=True)
class NameDifference:
    """A difference, with the simplest call that showed it.

    Attributes:
        kind: such as ``"dtype"``; ``jaxvstorch map`` says what each means.
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
        """What a framework gave, and what the other one gave."""
        return (self.torch, self.jax) if framework == "torch" else (self.jax, self.torch)


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

    @property
    def kinds_tried(self) -> tuple[str, ...]:
        """What was tried, in a reader's words."""
        return tuple(TRIALS.get(trial, trial) for trial in self.tried)


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
