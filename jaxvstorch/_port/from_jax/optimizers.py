"""An optax update as a step of PyTorch's optimizer."""

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import jax
import numpy as np
import optax
import torch

from jaxvstorch._frameworks.torch import from_numpy
from jaxvstorch._port.filling import node_at
from jaxvstorch._port.from_jax.fitting import Argument, Fitted, bind, fit
from jaxvstorch._port.from_jax.translation import in_torch, qualified
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import jax_rows, meaning
from jaxvstorch._port.map.running.of_jax import of_jax
from jaxvstorch._port.map.running.values import RefusedError
from jaxvstorch._port.outcome import Outcome, compare_results
from jaxvstorch._port.report_data import Location, PortStatus

_STEP = "optimizer.step() changes the parameters"


def judge_update(
    location: Location, args: Sequence[Any], result: Any
) -> tuple[str | None, str | None, Outcome]:
    """The optimizer's name in optax, PyTorch's, and how its first step compares.

    Args:
        location: of the update.
        args: gradients, state and parameters, in JAX, or others where flax's optimizer updates.
        result: the updates and the new state.
    """
    parts = [*_parts(location)]
    own = parts[0][0] if parts else None
    notes, fitted = [_STEP], None
    for name, call in parts:
        row = meaning(jax_rows()[name])
        if row.expression is None:
            notes += [f"{name}: {row.option('instead')}"] * (name != "optax.chain")
            continue
        try:
            fitted = _fitted(row, call, location.file, notes)
        except (RefusedError, TypeError, ValueError) as refusal:
            notes.append(f"{name}: {refusal}= has no counterpart")
    if fitted is None:
        return own, None, Outcome(PortStatus.ANOTHER_WAY, "; ".join(notes))
    outcome = _stepped(parts[0], fitted, args, result) if len(parts) == 1 else None
    if outcome is None:
        outcome = Outcome(PortStatus.ANOTHER_WAY, "")
    note = "; ".join(filter(None, [*notes, outcome.note]))
    return own, str(fitted), outcome._replace(note=note)


def _parts(location: Location) -> Iterator[tuple[str, ast.Call]]:
    """The calls of optax that made the optimizer, where a reader's file shows them."""
    node = node_at(location)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return
    made = _assigned(location.file).get(ast.unparse(node.func.value))
    for call in ast.walk(made) if made is not None else ():
        if not isinstance(call, ast.Call) or _schedule(call, location.file) is not None:
            continue
        name = qualified(location.file, call.func)
        if name is not None and name.startswith("optax.") and name in jax_rows():
            yield name, call


@cache
def _assigned(file: str) -> dict[str, ast.expr]:
    """The last value that a file assigns to each name or attribute."""
    tree = ast.parse("".join(linecache.getlines(file)))
    return {
        ast.unparse(target): node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }


def _fitted(row: Row, call: ast.Call, file: str, notes: list[str]) -> Fitted:
    """A row with the arguments of a call; a schedule among them becomes a note."""

    def argument(node: ast.expr) -> Argument:
        made = _assigned(file).get(ast.unparse(node), node)
        schedule = _schedule(made, file)
        if schedule is not None:
            notes.append(f"the rate: {_fitted(schedule, made, file, notes)}")  # type: ignore[arg-type]
            return Argument(1.0, ast.Constant(1.0))
        try:
            value = ast.literal_eval(node)
        except ValueError:
            value = 1.0  # a variable, or a schedule
        return Argument(value, in_torch(node, file, {}))

    named = {word.arg: argument(word.value) for word in call.keywords if word.arg}
    bound = bind(row.made or "", row, [argument(node) for node in call.args], named)
    return fit(row.expression or "", bound)


def _schedule(node: ast.expr, file: str) -> Row | None:
    """The row of a schedule of optax, if a call makes one."""
    name = qualified(file, node.func) if isinstance(node, ast.Call) else None
    row = meaning(jax_rows()[name]) if name in jax_rows() else None  # type: ignore[index]
    return row if row is not None and "lr_scheduler" in (row.expression or "") else None


def _stepped(
    part: tuple[str, ast.Call], fitted: Fitted, args: Sequence[Any], result: Any
) -> Outcome | None:
    """How PyTorch's first step compares; None where it is not the first, or not clear."""
    name, call = part
    try:
        settings = [ast.literal_eval(node) for node in call.args]
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
        transformation: optax.GradientTransformation = of_jax(name)(*settings, **named)
        gradients, state, *given = args
        values = given[0] if given else jax.tree.map(np.zeros_like, gradients)
        leaves = [jax.tree.leaves(tree) for tree in (transformation.init(values), state)]
        if not all(map(np.array_equal, *leaves)) or len(leaves[0]) != len(leaves[1]):
            return None
    except (ValueError, TypeError):
        return None
    old = [from_numpy(np.array(value)) for value in jax.tree.leaves(values)]
    parameters = [torch.nn.Parameter(value.clone()) for value in old]
    for parameter, gradient in zip(parameters, jax.tree.leaves(gradients), strict=True):
        parameter.grad = from_numpy(np.array(gradient))
    fitted.run(params=parameters).step()
    expected = jax.tree.leaves(optax.apply_updates(values, result[0]))
    return compare_results([parameter.detach() for parameter in parameters], expected)
