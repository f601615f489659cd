"""A pair on its own inputs: what each half gives, and whether that is the same."""

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError
from jaxvstorch._explain.captured_output import captured_output
from jaxvstorch._frameworks.containers import hold_array, named_leaves
from jaxvstorch._frameworks.importing import BrokenInstallError
from jaxvstorch._pairs import source
from jaxvstorch._pairs.pair import Function, Pair
from jaxvstorch._parity.checking import check_parity, compare_outcomes
from jaxvstorch._parity.comparison import Comparison
from jaxvstorch._parity.outcome import Outcome, call_reference, run, widen
from jaxvstorch._parity.parity import Parity

Leaf = tuple[str, Any]  # a name and a place, such as params['w'], and the array or value there


@dataclass(frozen=True)
class Trial:
    """What the halves of a pair gave for some inputs.

    Attributes:
        arguments: the inputs, containers of arrays taken apart.
        results: what each half returned, taken apart; by how it was called, such as ``"jax.jit"``.
        comparisons: with a float64 answer; empty if the pair has no single one.
    """

    arguments: list[Leaf]
    results: dict[str, list[Leaf]]
    comparisons: tuple[Comparison, ...]

    @property
    def same(self) -> bool | None:
        """Whether all agreed; ``None`` if there was nothing to compare."""
        compared = any(comparison.compared for comparison in self.comparisons)
        return Parity(self.comparisons).same if compared else None


def trial(pair: Pair, inputs: tuple[Any, ...], chosen: Sequence[str], compiled: bool) -> Trial:
    """Run the halves of the chosen frameworks, and compare what they give.

    Raises:
        BadInputError: a half failed; the message says how.
    """
    functions, outcomes, results = {}, {}, {}
    for framework in chosen:
        with _failures_of(f"{pair} in {_frameworks.TITLES[framework]}"):
            mode, functions[framework] = _half(pair, framework, compiled)
            outcome = run(framework, functions[framework], inputs, convert=pair.to_framework)
            _wait_for_prints(framework)
        outcomes[framework] = outcome
        results[mode] = list(zip(outcome.places, outcome.outputs, strict=True))
    with captured_output(), _failures_of(f"the comparison of {pair}"):  # not printed once more
        comparisons = _compared(pair, inputs, functions, outcomes)
        for framework in chosen:
            _wait_for_prints(framework)
    return Trial(list(_arguments(pair, inputs)), results, tuple(comparisons))


def _half(pair: Pair, framework: str, compiled: bool) -> tuple[str, Function]:
    """How a half is called, and what is called."""
    function = pair.half(framework)
    if not compiled or (framework == "jax" and not pair.jit):
        return _frameworks.MODES[framework, "eager"], function
    options = {} if framework == "jax" else {"fullgraph": pair.fullgraph}
    compile = _frameworks.adapter(framework).compile
    return _frameworks.MODES[framework, "compiled"], compile(function, pair.static, **options)


@contextmanager
def _failures_of(what: str) -> Iterator[None]:
    try:
        yield
    except BrokenInstallError:
        raise
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0]
        raise BadInputError(f"{what} failed with {type(error).__name__}: {first}") from error


def _wait_for_prints(framework: str) -> None:
    """What ``jax.debug.print`` prints comes later than the result."""
    if framework == "jax":
        import jax

        jax.effects_barrier()


def _compared(
    pair: Pair,
    inputs: tuple[Any, ...],
    functions: dict[str, Function],
    outcomes: dict[str, Outcome],
) -> Sequence[Comparison]:
    """Values and gradients of both halves, or the values of one, with the float64 answer."""
    if pair.reference is None:
        return ()
    if len(functions) == len(_frameworks.FRAMEWORKS):
        return check_parity(
            functions["jax"],
            functions["torch"],
            inputs,
            reference=pair.reference,
            gradient=pair.gradient,
            tolerance=pair.tolerance,
            convert=pair.to_framework,
        ).comparisons
    ((framework, outcome),) = outcomes.items()
    answer = call_reference(pair.reference, widen(inputs))
    return compare_outcomes(framework, outcome, answer, pair.tolerance)


def _arguments(pair: Pair, inputs: tuple[Any, ...]) -> Iterator[Leaf]:
    (node,) = ast.parse(source.definition(pair.topic, "jax", pair.name)).body
    assert isinstance(node, ast.FunctionDef)
    for argument, value in zip(node.args.args, inputs, strict=True):
        if hold_array(value):
            yield from named_leaves(value, argument.arg)
        else:
            yield argument.arg, value
