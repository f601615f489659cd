"""What the map knows of one name, as the command and the page show it."""

from dataclasses import dataclass

from jaxvstorch._port.map.lookup import find
from jaxvstorch._port.map.pasting import imports_of, to_paste
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning
from jaxvstorch._port.map.verdict import BUT, NOTHING, SAME, NameDifference, NameProbe, verdicts


@dataclass(frozen=True)
class NameEntry:
    """One name of the map.

    Attributes:
        name: in PyTorch.
        form_of: the name that this is another form of.
        torch: the call, in PyTorch's own signature.
        jax: the expression over the same parameters; none where there is no counterpart.
        instead: what people do where there is none.
        weights: what each parameter of a flax module is, of PyTorch's weights.
        plain: a module as an expression over its arguments and PyTorch's weights.
        refused: parameters that only their default is translated for.
        verdict: in the map's words.
        calls: how many calls both were tried on.
        agreed: in how many of them both gave the same.
        differences: what differs.
        form_differs: how this form differs in PyTorch from what it is a form of.
        first: the JAX that people write first, and that is something else.
        first_names: the names of JAX in that.
        first_differs: how that differs.
        probes: differences in meaning, each as an expression of both sides. The line in ``jax``
            avoids some of them.
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
    refused: tuple[str, ...]
    verdict: str
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
        found = [seen.kind for seen in (*self.differences, *self.form_differs)]
        found += [probe.kind for probe in self.probes if probe.line_differs]
        return tuple(dict.fromkeys(found))


def find_name(name: str) -> list[NameEntry]:
    """What the map of names knows of a name of PyTorch or JAX.

    Args:
        name: such as ``"torch.gather"``, ``"jnp.cumsum"`` or ``"gather"``; ``F.``, ``nn.`` and
            ``jax.numpy.`` are known, and what stands before a method, as in ``optimizer.step``,
            does not matter. A name of JAX leads to the names of PyTorch that it stands for.

    Returns:
        The entries, the nearest first; none if the map does not hold the name.

    Raises:
        TypeError: ``name`` is not a string.

    >>> [entry.jax for entry in find_name("torch.clamp")]
    ['jnp.clip(input, min, max)']
    """
    return [entry(row) for row in find(name)]


def entry(row: Row) -> NameEntry:
    """What is known of a row's name.

    Raises:
        KeyError: the check has not run since the row was written.
    """
    meant, sources = meaning(row), to_paste(row)
    found = verdicts()
    own, form = found.names[meant.name], found.names[row.name]
    form_differs = () if row is meant else form.differences
    shown = {row.name, meant.name}
    probes = tuple(p for p in found.probes if (p.differs or p.line_differs) and shown & {*p.names})
    differs = bool(own.differences or form_differs) or any(probe.line_differs for probe in probes)
    verdict = NOTHING if meant.expression is None else BUT if differs else SAME
    return NameEntry(
        row.name,
        row.form_of,
        meant.call,
        meant.expression,
        meant.option("instead"),
        meant.option("weights"),
        meant.option("plain"),
        meant.refused,
        verdict,
        own.calls,
        own.agreed,
        own.differences,
        form_differs,
        meant.option("first"),
        meant.first_names,
        own.first,
        probes,
        sources,
        imports_of(sources),
    )
