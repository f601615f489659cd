"""A fault, as one text of a JAX model's file replaced by another."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One fault of a port.

    Attributes:
        name: the model and what is wrong.
        old: what the JAX file has once.
        new: what stands there instead.
        jax_line: a text of the faulty line as planted; of the line that uses it, where the fault is
            a default or a weight.
        torch_line: a text of the line that does the same in PyTorch.
        cause: a pattern for what the cause says, case ignored; None where no trial can find it.
        jax_shows: a text of the first line that computes other numbers, where the faulty line only
            moves or drops numbers that PyTorch has too.
        torch_shows: the same for PyTorch.
        named: whether PyTorch's line and JAX's are named, or a call that led there.
    """

    name: str
    old: str
    new: str
    jax_line: str
    torch_line: str
    cause: str | None
    jax_shows: str = ""
    torch_shows: str = ""
    named: tuple[bool, bool] = (True, True)

    def __str__(self) -> str:
        return self.name

    @property
    def model(self) -> str:
        """The name of the model's files before `_jax.py` and `_torch.py`."""
        return self.name.partition(":")[0]
