"""``jaxvstorch try``: an example on its own inputs, in both frameworks, and whether they agree."""

import math
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError, dtypes, terminal
from jaxvstorch._frameworks.importing import BrokenInstallError, MissingFrameworkError

if TYPE_CHECKING:
    from jaxvstorch._command.trial import Trial
    from jaxvstorch._parity.comparison import Comparison

_SHOWN = 4  # numbers of an array that a terminal's line has room for


def try_pair(
    name: Annotated[str, typer.Argument(help="A pair, such as branching.select_where.")],
    size: Annotated[int, typer.Option(min=1, help="About how many elements the inputs have.")] = 8,
    dtype: Annotated[
        str, typer.Option(help="Dtype of the floating-point inputs: f16, bf16, f32 or f64.")
    ] = "float32",
    seed: Annotated[
        int, typer.Option(min=0, help="Seed for the random numbers in the inputs.")
    ] = 0,
    framework: Annotated[
        str | None, typer.Option(metavar="jax|torch", help="Run only one half.")
    ] = None,
    compiled: Annotated[
        bool,
        typer.Option("--compile", help="Compile with jax.jit and torch.compile; takes longer."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, for programs to read.")
    ] = False,
) -> None:
    """Run a pair on its own inputs in both frameworks, and compare the results.

    What the functions print goes to standard error. The exit status is 0 if they
    agree, 1 if they differ, 2 if one of them cannot run.
    """
    try:
        tried = _tried(name, size, dtype, seed, framework, compiled)
    except (BadInputError, BrokenInstallError, LookupError, MissingFrameworkError) as error:
        terminal.console(stderr=True).print(f"jaxvstorch: {error}", soft_wrap=True)
        raise typer.Exit(2) from error
    if as_json:
        terminal.show_json("try", {"name": name, "same": tried.same, **_to_dict(tried)})
    else:
        _show(name, tried)
    raise typer.Exit(1 if tried.same is False else 0)


def _tried(
    name: str, size: int, dtype: str, seed: int, framework: str | None, compiled: bool
) -> "Trial":
    from jaxvstorch._pairs.registry import example  # it imports every topic, and NumPy

    pair, chosen = example(name), _chosen(framework)
    if dtype not in dtypes.BY_NAME:  # NumPy's f8 is JAX's f64
        raise BadInputError(f"--dtype: {dtypes.unknown(dtype)}")
    from jaxvstorch._command.output import stdout_to_stderr
    from jaxvstorch._command.trial import trial

    try:
        inputs = pair.make_inputs(size, dtypes.BY_NAME[dtype], seed)
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise BadInputError(f"the inputs of {name} cannot be made: {error}") from error
    with stdout_to_stderr():
        return trial(pair, inputs, chosen, compiled)


def _chosen(framework: str | None) -> list[str]:
    """The frameworks to run: the given one, or all that are installed."""
    if framework not in (None, *_frameworks.FRAMEWORKS):
        raise BadInputError(f"--framework must be jax or torch, not {framework!r}")
    installed = [each for each in _frameworks.FRAMEWORKS if find_spec(each)]
    chosen = [framework] if framework else installed or list(_frameworks.FRAMEWORKS)
    for each in chosen:
        _frameworks.require(each, wanted_by="jaxvstorch try")
    if framework is None and len(chosen) == 1:
        (missing,) = {*_frameworks.FRAMEWORKS} - {*chosen}
        terminal.console(stderr=True).print(
            f"jaxvstorch: {_frameworks.TITLES[missing]} is not installed: "
            f"{_frameworks.TITLES[chosen[0]]} runs alone, and is compared with NumPy."
        )
    return chosen


def _show(name: str, tried: "Trial") -> None:
    out, table = terminal.console(), Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    for leaf in tried.arguments:
        table.add_row(*_cells(*leaf))
    table.add_row()
    for title, leaves in tried.results.items():
        for place, value in leaves:
            table.add_row(*_cells(f"{title} {place}".rstrip(), value), style="bold")
    out.print(Text(name, style="bold"))
    terminal.show(out, table)
    out.print()
    for line in _verdict(tried):
        out.print(line, soft_wrap=True)


def _cells(place: str, value: Any) -> tuple[str, str, str]:
    """A row: where it stands, its type, its first numbers."""
    if not hasattr(value, "dtype"):
        kind = type(value).__name__
        return place, kind, value.__name__ if callable(value) else repr(value)
    first = value.reshape(-1)[:_SHOWN].tolist()
    shown = [str(x) if isinstance(x, int) else f"{x:.4g}" for x in first]
    shape = ",".join(map(str, value.shape))
    return place, f"{value.dtype}[{shape}]", " ".join(shown + ["…"] * (value.size > _SHOWN))


def _verdict(tried: "Trial") -> Iterator[str]:
    """A line each for values and gradients, and one for each array that is wrong."""
    if not tried.comparisons:
        yield "not compared: it draws random numbers or reads a clock, so no single answer is right"
    for kind, answer in (("value", "NumPy"), ("gradient", "PyTorch")):
        compared = [c for c in tried.comparisons if ("gradient" in c.what) == (kind == "gradient")]
        if all(comparison.same for comparison in compared) and compared:
            yield f"{kind}s: the same as {answer}'s in float64{_error(compared)}"
        yield from (str(comparison) for comparison in compared if not comparison.same)


def _error(comparisons: "list[Comparison]") -> str:
    """The largest error, in brackets; nothing where no error is allowed."""
    worst = max((c for c in comparisons if c.worst is not None), key=_share, default=None)
    if worst is not None:
        return f" (error {worst.error:.2g}, allowed {worst.tolerance:.2g})"
    return "" if any(c.compared for c in comparisons) else ": no elements"


def _share(comparison: "Comparison") -> float:
    return comparison.error / (comparison.tolerance or 1.0)


def _to_dict(tried: "Trial") -> dict[str, Any]:
    return {
        "arguments": [_leaf(*leaf) for leaf in tried.arguments],
        "results": {how: [_leaf(*leaf) for leaf in held] for how, held in tried.results.items()},
        "comparisons": [
            {"what": c.what, "same": c.same, "compared": c.compared, "report": str(c)}
            for c in tried.comparisons
        ],
    }


def _leaf(place: str, value: Any) -> dict[str, Any]:
    """An array with its numbers, those that JSON lacks as text; or a Python value as text."""
    if not hasattr(value, "dtype"):
        _, kind, text = _cells(place, value)
        return {"name": place, "type": kind, "value": text}
    numbers = [_number(x) for x in value.reshape(-1).tolist()]
    shape = list(value.shape)
    return {"name": place, "dtype": str(value.dtype), "shape": shape, "numbers": numbers}


def _number(x: Any) -> Any:
    return str(x) if isinstance(x, complex) or not math.isfinite(x) else x
