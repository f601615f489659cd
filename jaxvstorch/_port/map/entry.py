"""What the map knows of one name, as the command and the page show it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxvstorch._port.map import kinds
from jaxvstorch._port.map.lookup import find
from jaxvstorch._port.map.pasting import folder_of, imports_of, to_paste
from jaxvstorch._port.map.recipes import NameRecipe, recipe
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.sharing import merged, same_expression
from jaxvstorch._port.map.verdict import (
    SAME_OBJECT,
    Agreement,
    NameDifference,
    NameProbe,
    verdicts,
)

VERSION = 3  # of the document of entries that programs read
CHANGED = (
    "PyTorch changes its array, converts a result of another dtype or refuses it, and refuses a"
    " larger shape; in JAX, assign the result"
)


@dataclass(frozen=True)
class NameEntry:
    """One name of the map.

    Attributes:
        name: with its module, such as ``"torch.gather"`` or ``"jnp.take_along_axis"``.
        framework: whose name it is, ``"torch"`` or ``"jax"``.
        form_of: the name that this is another form of.
        is_alias: whether that name is the same object.
        torch: the call in PyTorch; of a name of JAX the expression over the same parameters.
        jax: the call in JAX; of a name of PyTorch the expression over the same parameters.
            What has no counterpart in the other framework is ``None`` there.
        instead: what people do if there is no counterpart.
        recipe: a short program of both frameworks that does it.
        in_recipe: whether that program calls the name; if not, it does something near it.
        weights: which of PyTorch's weights each parameter of a flax module is.
        plain: a module as an expression over its arguments and PyTorch's weights.
        begins: the flax module's further arguments with which its weights begin as PyTorch's.
        refused: parameters of which only the default is translated.
        verdict: whether it is the same in the other framework: ``"the same"``, ``"the same but
            for"`` or ``"done another way"``.
        tried: the kinds of trial, such as ``"float16"``, ``"scalar arrays"`` or ``"in
            training"``.
        calls: how many calls were tried in both.
        agreed: how many of them gave the same result.
        differences: what differs; what most people meet stands first.
        form_differs: how this form differs, in its own framework, from the name that it is a form
            of. ``torch`` holds that name's result, and ``jax`` the form's.
        first: what people write first in the other framework, which does something else.
        first_names: the names in that.
        first_differs: how that differs.
        probes: differences in meaning, each as an expression in both. The line avoids some of
            them.
        paste: the sources of the functions to paste that the line calls, by name.
        imports: what these need.
    """

    name: str
    framework: str
    form_of: str | None
    is_alias: bool
    torch: str | None
    jax: str | None
    instead: str | None
    recipe: NameRecipe | None
    in_recipe: bool
    weights: str | None
    plain: str | None
    begins: str | None
    refused: tuple[str, ...]
    verdict: str
    tried: tuple[str, ...]
    calls: int
    agreed: int
    differences: tuple[NameDifference, ...]
    form_differs: tuple[NameDifference, ...]
    first: str | None
    first_names: tuple[str, ...]
    first_differs: tuple[NameDifference, ...]
    probes: tuple[NameProbe, ...]
    paste: dict[str, str]
    imports: str

    @property
    def call(self) -> str:
        """The name as it is called."""
        return (self.torch if self.framework == "torch" else self.jax) or ""

    @property
    def counterpart(self) -> str | None:
        """The same in the other framework."""
        return self.jax if self.framework == "torch" else self.torch

    @property
    def changes_its_array(self) -> bool:
        """Whether PyTorch's function writes into its first argument."""
        bare = self.name.rpartition(".")[2]
        return self.framework == "torch" and bare.endswith("_") and not bare.endswith("__")

    @property
    def is_elsewhere(self) -> bool:
        """Whether this form is another library's, as linen's of NNX; its parameters may differ."""
        is_of_nnx = (self.form_of or "").startswith("nnx.")
        return is_of_nnx and not self.name.startswith("nnx.")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of difference, each once."""
        shown: list[NameDifference | NameProbe] = [*self.differences, *self.form_differs]
        shown += [probe for probe in self.probes if probe.line_differs]
        return tuple(dict.fromkeys(each.kind for each in sorted(shown, key=kinds.place)))


def find_name(name: str) -> list[NameEntry]:
    """Look up a name of PyTorch or JAX in the map of names.

    Args:
        name: such as ``"torch.gather"``, ``"jnp.cumsum"`` or ``"gather"``; or pasted from code,
            such as ``"x.sum(dim=1)"``; or a few words, such as ``"weight decay"``. The usual short
            names of modules are known, and some names of NumPy, TensorFlow, Keras and flax's linen.

    Returns:
        The entries, the nearest first; none if the map does not hold the name.

    Raises:
        TypeError: ``name`` is not a string.

    >>> [entry.jax for entry in find_name("torch.clamp(x, 0, 1)")][:1]
    ['jnp.clip(input, min, max)']
    """
    return [entry_of(row) for row in find(name)]


def entry_of(row: Row) -> NameEntry:
    """What is known of a row's name.

    Raises:
        KeyError: the check has not run since the row was written.
    """
    meant, sources = meaning(row), to_paste(row)
    checked = verdicts()
    same = same_expression(meant)
    result, form_result = merged([checked.names[name] for name in same]), checked.names[row.name]
    form_differs = () if row is meant else form_result.differences
    shown = {row.name, *same}
    differing = [probe for probe in checked.probes if probe.differs or probe.line_differs]
    probes = _in_words([probe for probe in differing if shown & {*probe.names}])
    if meant.expression is None:
        agreement = Agreement.NO_COUNTERPART
    elif _counted(meant, result.differences) or form_differs or any(p.line_differs for p in probes):
        agreement = Agreement.EXCEPT
    else:
        agreement = Agreement.SAME
    halves = {meant.framework: meant.call, _other(meant.framework): meant.expression}
    in_both = recipe(meant.option("recipe") or "") if meant.option("recipe") else None
    return NameEntry(
        row.name,
        row.framework,
        row.form_of,
        SAME_OBJECT in form_result.tried,
        halves["torch"],
        halves["jax"],
        meant.option("instead"),
        in_both,
        in_both is not None and in_both.calls(row.framework, *_same_object(row)),
        meant.option("weights"),
        meant.option("plain"),
        meant.option("begins"),
        meant.refused,
        agreement,
        tuple(kinds.TRIALS.get(trial, trial) for trial in result.tried),
        result.calls,
        result.agreed,
        _in_words(result.differences),
        _in_words(form_differs),
        meant.option("first"),
        meant.first_names,
        _in_words(checked.names[meant.name].first),
        probes,
        sources,
        imports_of(sources, folder_of(row)),
    )


def _other(framework: str) -> str:
    return "jax" if framework == "torch" else "torch"


def _same_object(row: Row) -> tuple[str, ...]:
    """A name of PyTorch that is done another way, and its forms, which are one object."""
    if row.framework == "jax":
        return (row.name,)
    base = row.form_of or row.name
    return (base, *rows().forms_of(base))


def _in_words(shown: Sequence[kinds.Shown]) -> tuple[kinds.Shown, ...]:
    """Differences by the words for their kinds, in the order in which people meet them."""
    said = [replace(each, kind=kinds.word(each)) for each in shown]
    return tuple(sorted(said, key=kinds.place))


def _counted(row: Row, differences: tuple[NameDifference, ...]) -> bool:
    """Whether a program that runs in the name's framework can meet one of the differences."""
    if row.framework == "jax":
        return bool(differences)
    return any(kinds.KINDS[each.kind].rarity < kinds.ACCEPTED for each in differences)
