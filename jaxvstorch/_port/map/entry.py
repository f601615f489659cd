"""What the map knows of one name, as the command and the page show it."""

from dataclasses import dataclass

from jaxvstorch._port.map.lookup import find
from jaxvstorch._port.map.pasting import imports_of, to_paste
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning
from jaxvstorch._port.map.sharing import merged, same_expression
from jaxvstorch._port.map.verdict import Agreement, NameDifference, NameProbe, verdicts


@dataclass(frozen=True)
class NameEntry:
    """One name of the map.

    Attributes:
        name: in PyTorch.
        form_of: the name that this is another form of.
        torch: the call, in PyTorch's own signature.
        jax: the expression over the same parameters; ``None`` if there is no counterpart.
        instead: what people do if there is none.
        weights: which of PyTorch's weights each parameter of a flax module is.
        plain: a module as an expression over its arguments and PyTorch's weights.
        begins: the flax module's further arguments with which its weights begin as PyTorch's.
        refused: parameters of which only the default is translated.
        verdict: whether it is the same in JAX: ``"the same"``, ``"the same but for"`` or
            ``"done another way"``.
        tried: the kinds of trial, such as ``"float16"``, ``"0-d"`` or ``"in training"``.
        calls: how many calls were tried in both.
        agreed: how many of them gave the same result.
        differences: what differs.
        form_differs: how this form differs, in PyTorch, from the name that it is a form of.
        first: the JAX that people write first, which does something else.
        first_names: the names of JAX in that.
        first_differs: how that differs.
        probes: differences in meaning, each as an expression in both. The line in ``jax`` avoids
            some of them.
        paste: the sources of the functions in ``jax``, by name.
        imports: what these need.
    """

    name: str
    form_of: str | None
    torch: str
    jax: str | None
    instead: str | None
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
    def changes_its_array(self) -> bool:
        """Whether PyTorch's function writes into its first argument."""
        bare = self.name.rpartition(".")[2]
        return bare.endswith("_") and not bare.endswith("__")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of difference, each once."""
        kinds = [difference.kind for difference in (*self.differences, *self.form_differs)]
        kinds += [probe.kind for probe in self.probes if probe.line_differs]
        return tuple(dict.fromkeys(kinds))


def find_name(name: str) -> list[NameEntry]:
    """Look up a name of PyTorch or JAX in the map of names.

    Args:
        name: such as ``"torch.gather"``, ``"jnp.cumsum"`` or ``"gather"``; ``F.``, ``nn.`` and
            ``jax.numpy.`` are known, and the object before a method, as in ``optimizer.step``,
            does not matter. A JAX name finds the PyTorch names that it translates.

    Returns:
        The entries, the nearest first; none if the map does not hold the name.

    Raises:
        TypeError: ``name`` is not a string.

    >>> [entry.jax for entry in find_name("torch.clamp")]
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
    differing = (probe for probe in checked.probes if probe.differs or probe.line_differs)
    probes = tuple(probe for probe in differing if shown & {*probe.names})
    if meant.expression is None:
        agreement = Agreement.NO_COUNTERPART
    elif _counted(result.differences) or form_differs or any(p.line_differs for p in probes):
        agreement = Agreement.EXCEPT
    else:
        agreement = Agreement.SAME
    return NameEntry(
        row.name,
        row.form_of,
        meant.call,
        meant.expression,
        meant.option("instead"),
        meant.option("weights"),
        meant.option("plain"),
        meant.option("begins"),
        meant.refused,
        agreement,
        result.kinds_tried,
        result.calls,
        result.agreed,
        result.differences,
        form_differs,
        meant.option("first"),
        meant.first_names,
        checked.names[meant.name].first,
        probes,
        sources,
        imports_of(sources),
    )


def _counted(differences: tuple[NameDifference, ...]) -> bool:
    """Whether a program that runs in PyTorch can meet one of the differences."""
    return any(difference.kind != "dtypes" for difference in differences)
