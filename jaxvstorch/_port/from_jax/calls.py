"""Does a call of the reader's in PyTorch, by the map's line for it, and compares the results."""

import ast
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import torch

from jaxvstorch._port.from_jax.candidate import Candidate
from jaxvstorch._port.from_jax.candidates import NO_LINE, candidates
from jaxvstorch._port.from_jax.decomposing import aligned
from jaxvstorch._port.from_jax.layers import row_of
from jaxvstorch._port.from_jax.names import DERIVATIVES
from jaxvstorch._port.from_jax.optimizers import judge_update
from jaxvstorch._port.from_jax.watcher import WatchedCall, filled_in
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.outcome import Outcome, compare_results, size_of_terms
from jaxvstorch._port.report_data import Location, PortStatus

# What arguments that a line of the map did not foresee can raise.
_UNLIKE = (ArithmeticError, AttributeError, LookupError, RuntimeError, SyntaxError, TypeError,
           ValueError)  # fmt: skip
_RUNS = 4  # of a layer that draws
_MEANS = ("mean", "nanmean", "std", "var")
_GRADIENT = (
    "loss.backward(), after which each p.grad holds a gradient; "
    "or torch.autograd.grad(loss, parameters)"
)


class Judgement(NamedTuple):
    """What a call is in PyTorch.

    Attributes:
        outcome: None where it could not be done as one call.
        becomes: as text.
        nested: as an expression, for the calls that take its result.
        why: it could not be done.
        name: of the call, where only its line shows it.
    """

    outcome: Outcome | None = None
    becomes: str | None = None
    nested: ast.expr | None = None
    why: str = ""
    name: str | None = None


def judge_call(
    call: WatchedCall,
    values: Sequence[Any],
    known: Mapping[Location, ast.expr],
    repeated: bool = False,
) -> Judgement:
    """Do a call in PyTorch.

    Args:
        call: of the reader's.
        values: of its arrays, in JAX.
        known: the calls inside it, in PyTorch.
        repeated: whether an index occurs twice.
    """
    args, kwargs, weights, result = (
        filled_in(part, values) for part in (call.args, call.kwargs, call.weights, call.result)
    )
    bare = call.name.rpartition(".")[2]
    if bare in DERIVATIVES:
        note = _GRADIENT if "grad" in bare else f"torch.func.{bare}(function)(arguments)"
        return Judgement(Outcome(PortStatus.ANOTHER_WAY, note))
    if not call.whole:
        name, becomes, outcome = judge_update(call.location, (*args, *kwargs.values()), result)
        return Judgement(outcome, becomes, name=f"{name or 'optax'}.update")
    try:
        ways = [*candidates(call, args, kwargs, weights, known, repeated)]
    except RefusedError as refusal:
        return Judgement(why=f"{refusal}= has no counterpart in PyTorch")
    except _UNLIKE as error:
        return Judgement(why=str(error) or type(error).__name__)
    if call.name.startswith("jax.random.") or (call.made is not None and _draws(call.name)):
        text, nested = (ways[0].text, ways[0].nested) if ways else (None, None)
        return Judgement(Outcome(PortStatus.RANDOM), text, nested)
    why = NO_LINE
    # Some indices need 64 bits in PyTorch, and its means need floats.
    method = "float" if call.name.rpartition(".")[2] in _MEANS else "long"
    wide = [way._replace(fitted=new) for way in ways if (new := way.fitted.converted(method))]
    for candidate in [*ways, *wide]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours = candidate.run()
        except Exception as error:
            why = error_text(error)
            continue
        outcome = _compared(call, candidate, ours, result)
        if outcome.status == PortStatus.DIFFERS and candidate.training and _varies(candidate, ours):
            outcome = Outcome(PortStatus.RANDOM)
        return Judgement(outcome, candidate.text, candidate.nested)
    return Judgement(why=why)


def _draws(name: str) -> bool:
    row = row_of(name)
    return row is not None and row.draws


def _varies(candidate: Candidate, ours: Any) -> bool:
    """Whether a layer in training, such as dropout, gives others each time."""
    again = [candidate.run() for _ in range(_RUNS)]
    return any(
        not torch.equal(a, b)
        for other in again
        for a, b in zip(_leaves(ours), _leaves(other), strict=True)
    )


def _compared(call: WatchedCall, candidate: Candidate, ours: Any, result: Any) -> Outcome:
    theirs, got = _leaves(result), _leaves(ours)
    if isinstance(result, jax.Array) and isinstance(ours, list | tuple) and len(ours) == 1:
        got = _leaves(ours[0])
    inputs = [a.value for a in candidate.fitted.arguments.values()]
    terms = size_of_terms(candidate.terms, inputs)
    outcome = compare_results(got, theirs, terms)
    if outcome.status != PortStatus.DIFFERS:
        return outcome
    turned = aligned(call.name.rpartition(".")[2], got, theirs, of_function=True)
    if turned is not None:
        again = compare_results(turned, theirs)
        if again.status == PortStatus.VERIFIED:
            return again.with_notes("except for the signs of the vectors, which are arbitrary")
    return outcome


def _leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a result, by name where it is a dictionary."""
    if isinstance(value, dict):
        return [leaf for name in sorted(value, key=str) for leaf in _leaves(value[name])]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in _leaves(item)]
    # A function, as of jax.vjp, or the structure of a tree has no numbers.
    is_number = hasattr(value, "dtype") or isinstance(value, bool | int | float | complex)
    return [value] if is_number else []
