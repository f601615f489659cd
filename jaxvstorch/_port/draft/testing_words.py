"""The lines of a draft's tests that depend on its style."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from jaxvstorch._port.draft.recorded import FirstCall


class Words:
    """The lines for a draft in NNX.

    Attributes:
        checks: the file with the functions that its tests call.
        given: the texts for arguments of a step that no array of the program gives, by name.
    """

    checks = "checks.py"
    given: Mapping[str, str] = MappingProxyType({"rngs": "nnx.Rngs(0)"})

    def made(self, name: str, args: Sequence[str]) -> str:
        """What makes a module of the draft."""
        return f"draft.{name}({', '.join([*args, 'rngs=nnx.Rngs(0)'])})"

    def drawing(self, call: "FirstCall") -> list[str]:
        """What a function that draws takes too."""
        return ["rngs=nnx.Rngs(0)"] * call.takes_rngs

    def checked(self, module: "torch.nn.Module", made: str, arguments: Sequence[str]) -> list[str]:
        """The lines that compare a module's outputs and gradients."""
        given = ", ".join([f'"{type(module).__name__}"', "module", *arguments])
        evaluated = ["module.eval()"] * (not module.training)
        return [f"module = {made}", *evaluated, f"check_module({given})"]

    def drawn(self, lines: list[str]) -> list[str]:
        """The lines that compare a module which draws random numbers."""
        return lines

    def begun(self, name: str, module: "torch.nn.Module", made: str, key: str) -> list[str]:
        """The lines that make a step's module, with the weights that are stored under a key."""
        first = f'{name} = loaded({made}, stored("{key}/"))'
        return [first, *[f"{name}.eval()"] * (not module.training)]

    def optimizer(self, name: str, models: Sequence[str], made: str) -> list[str]:
        """The lines that make a step's optimizer, of optax's."""
        whole = ", ".join(models) if len(models) == 1 else f"nnx.List([{', '.join(models)}])"
        return [f"{name} = nnx.Optimizer({whole}, {made}, wrt=nnx.Param)"]

    def parameters(self, step: str, names: list[str]) -> list[str]:
        """The names that a step takes."""
        return names

    def taken(self, step: str, call: str, returns_tuple: bool, gradients: bool) -> str:
        """The line that takes a step."""
        result = "loss, *_, grads" if gradients else "loss"
        return f"{result} = {call}{'[0]' * (returns_tuple and not gradients)}"

    def weights(self, key: str, name: str, module: "torch.nn.Module") -> list[str]:
        """The lines that compare a module's weights after the steps."""
        return [f'check_weights("{key}", {name})']


def in_draft(text: str) -> str:
    """A text that makes something of the draft's, with random numbers of the test."""
    return text.replace("rngs=rngs", "rngs=nnx.Rngs(0)")


NNX = Words()
