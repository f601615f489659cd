"""Differences in meaning, each shown by a value; ``probes.txt`` holds both sides."""

import ast
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import torch
from flax import nnx

from jaxvstorch._port.map.rows import meaning, rows
from jaxvstorch._port.map.running.describe import error_text
from jaxvstorch._port.map.running.values import array
from jaxvstorch._port.map.verdict import NameProbe
from tools.check_map.by_the_map import NoLineError, by_the_map

FILE = Path(__file__).with_name("probes.txt")


def probes() -> list[NameProbe]:
    """Every probe, run now."""
    return [probe(*parts) for parts in written()]


def written() -> list[tuple[str, str, str]]:
    """Each probe's kind, and its expression in either framework."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    split = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return [(kind, *sides) for kind, ours, theirs in split for sides in _split(ours, theirs)]


def _split(ours: str, theirs: str) -> list[tuple[str, str]]:
    """A line holds one probe, or several, with commas between them on both sides."""
    parts = []
    for text in (ours, theirs):
        node = ast.parse(text, mode="eval").body
        items = node.elts if isinstance(node, ast.Tuple) and not text.startswith("((") else [node]
        parts.append([ast.get_source_segment(text, item) or text for item in items])
    return list(zip(*parts, strict=True))


def probe(kind: str, ours: str, theirs: str) -> NameProbe:
    """Run both sides of a probe, and the PyTorch side by the map's lines too."""
    here, first, line = _outcome(ours), _outcome(theirs), _by_the_map(ours)
    return NameProbe(
        kind, ours, theirs, here.text, first.text, line.text if line else "",
        _differ(here, first), _differ(here, line or here), _names(ours),
    )  # fmt: skip


class _Outcome(NamedTuple):
    """What an expression gives, as text, and the error if it raised one."""

    text: str
    error: Exception | None


def _outcome(expression: str) -> _Outcome:
    return _outcome_of(lambda text: eval(text, dict(SCOPE)), expression)


def _outcome_of(run: Callable[[str], Any], expression: str) -> _Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _Outcome(_text(run(expression)), None)
        except Exception as error:
            return _Outcome(error_text(error), error)


def _differ(ours: _Outcome, theirs: _Outcome) -> bool:
    return ours.text != theirs.text and not (ours.error and theirs.error)


def _by_the_map(expression: str) -> _Outcome | None:
    """What the map's lines give for PyTorch's expression, if it has lines for all its names."""
    outcome = _outcome_of(by_the_map, expression)
    return None if isinstance(outcome.error, NoLineError) else outcome


def _text(value: Any) -> str:
    if isinstance(value, torch.Tensor | jax.Array):
        return str(_short(array(value).tolist()))
    if hasattr(value, "_fields"):  # PyTorch's pair of values and indices, say
        return _text(value[0])
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    return str(_short(value)).removeprefix("torch.")


def _short(value: Any) -> Any:
    """Numbers to six digits."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _gradient(function: Any, x: Any) -> torch.Tensor:
    """PyTorch's gradient of a function of one number or list."""
    variable = torch.tensor(x, requires_grad=True)
    return torch.autograd.grad(function(variable), variable)[0]


SCOPE = {
    "torch": torch, "F": torch.nn.functional, "t": torch.tensor, "grad": _gradient,
    "jax": jax, "jnp": jnp, "lax": jax.lax, "nnx": nnx, "optax": optax, "a": jnp.asarray, "np": np,
}  # fmt: skip


# Names that make a probe's input or reduce its result; it is about them if it has no others.
_INCIDENTAL = {
    "torch.arange", "torch.eye", "torch.full", "torch.ones", "torch.stack", "torch.tensor",
    "torch.zeros", "Tensor.reshape", "Tensor.sum",
}  # fmt: skip
_OPERATORS: dict[type, str] = {
    ast.Add: "torch.add", ast.Sub: "torch.sub", ast.Mult: "torch.mul", ast.Div: "torch.div",
    ast.FloorDiv: "torch.floor_divide", ast.Mod: "torch.remainder", ast.Pow: "torch.pow",
    ast.MatMult: "torch.matmul", ast.LShift: "torch.bitwise_left_shift", ast.Gt: "torch.gt",
    ast.Subscript: "Tensor.__getitem__",
}  # fmt: skip


def _names(expression: str) -> tuple[str, ...]:
    """The names of the map that an expression is about, and what they are forms of."""
    full = re.sub(r"\bF\.", "torch.nn.functional.", expression)
    mentioned = re.findall(r"\btorch(?:\.\w+)+", full)
    mentioned += [f"Tensor.{name}" for name in re.findall(r"\)\.(\w+)\(", full)]
    known = [name for name in mentioned if name in rows()]
    called = [name for name in known if rows()[name].form_of or rows()[name].made is not None]
    about = [name for name in called if name not in _INCIDENTAL]
    about = about or _operators(expression) or called or known or ["torch.tensor"]
    meant = [meaning(rows()[name]).name for name in about if not name.endswith("_")]
    return tuple(dict.fromkeys([*about, *meant]))


def _operators(expression: str) -> list[str]:
    """The names of Python's operators, except those between mere numbers."""
    nodes = [node for node in ast.walk(ast.parse(expression))
             if any(isinstance(inner, ast.Name) for inner in ast.walk(node))]  # fmt: skip
    kinds = [type(getattr(node, "op", node)) for node in nodes]
    kinds += [type(op) for node in nodes if isinstance(node, ast.Compare) for op in node.ops]
    return [_OPERATORS[kind] for kind in kinds if kind in _OPERATORS]
