"""A side that is a training step: what it holds goes on from one step to the next."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jaxvstorch._diff.recording import Array, Recording, Returned, Stage
from jaxvstorch._diff.side import Side


@dataclass
class Compared:
    """What is compared of a step.

    Attributes:
        results: whether what the step returns is.
        updated: the names of the weights whose gradients and new values are.
        plain: those of them of which only the new values are, such as running statistics.
    """

    results: bool = True
    updated: Sequence[str] = ()
    plain: frozenset[str] = frozenset()


class Step(Side):
    """A training step.

    Attributes:
        compared: what its runs return.
    """

    compared: Compared

    @abstractmethod
    def advance(self, recording: Recording, given: Mapping[str, Array]) -> None:
        """Let the next run begin where a run has ended.

        Args:
            recording: of the run, in float64 if later ones are.
            given: the numbers that weights have from now on in place of the run's.
        """

    def returned(self, recording: Recording, results: Sequence[Returned]) -> list[Returned]:
        """The outputs that are compared, in the order of the run."""
        values = recording.values
        new = [(name, recording.after[name]) for name in self.compared.updated]
        outputs = list(results) if self.compared.results else []
        gradients, updates = [], []
        for name, i in new:
            title = f"{name} after the step"
            if name in self.compared.plain:
                outputs.append(Returned(title, i))
                continue
            gradient = gradient_of(recording, i)
            gradients.append(Returned(f"gradient of {name}", i if gradient is None else gradient))
            updates.append(Returned(title, i, values[i].stage == Stage.UPDATE))
        return [*outputs, *gradients, *updates]


def gradient_of(recording: Recording, index: int) -> int | None:
    """The gradient from which a weight's new value is computed, if it is from any.

    That is the nearest value of the backward pass that has as many elements: the others come in
    only by the norm to which all are clipped.
    """
    values = recording.values
    level, seen = {index}, {index}
    while level:
        size = values[index].array.size
        backward = {i for i in level if values[i].stage == Stage.BACKWARD}
        if found := [i for i in backward if values[i].array.size == size]:
            return max(found)
        level = {p for i in level - backward for p in values[i].parents} - seen
        seen |= level
    return None
