"""The parts of an optimizer of optax: a chain, and what its small parts add up to."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

CORES = {
    "scale_by_adam": "adam",
    "scale_by_rms": "rmsprop",
    "trace": "sgd",
    "scale_by_radam": "radam",
}
_RATES = ("scale", "scale_by_learning_rate", "scale_by_schedule")
_OF_ADAMW = ("weight_decay", "mask")


class Part(NamedTuple):
    """A call of optax: its name there, such as ``adamw``, and its arguments."""

    name: str
    call: ast.Call

    def argument(self, position: int, name: str) -> ast.expr | None:
        """What it is given by position or by name."""
        words = {w.arg: w.value for w in self.call.keywords}
        return words.get(name, self.call.args[position] if position < len(self.call.args) else None)


def added_up(parts: Sequence[Part]) -> Iterator[Part]:
    """A chain in which ``scale_by_adam``, ``add_decayed_weights`` and a rate are ``adamw``."""
    left = [*parts]
    while left:
        part = left.pop(0)
        is_rate = part.name in _RATES and all(p.name in _RATES for p in left)
        if part.name not in CORES and not is_rate:
            yield part
            continue
        decay = (
            left.pop(0) if left and left[0].name == "add_decayed_weights" and not is_rate else None
        )
        rates = [part] * is_rate
        while left and left[0].name in _RATES:
            rates.append(left.pop(0))
        rate = _rate(rates)
        name = CORES.get(part.name, "sgd")
        if rate is None or (decay is not None and name != "adam"):
            yield part
            yield from [] if decay is None else [decay]
            yield from [] if is_rate else rates
            continue
        given = [] if is_rate else part.call.args
        words = [ast.keyword("learning_rate", rate), *([] if is_rate else part.call.keywords)]
        by_position = {"adam": ("b1", "b2", "eps"), "sgd": ("momentum", "nesterov")}.get(name, ())
        words += [ast.keyword(n, v) for n, v in zip(by_position, given, strict=False)]
        words = [ast.keyword("momentum", w.value) if (name, w.arg) == ("sgd", "decay") else w
                 for w in words]  # fmt: skip
        if decay is not None:
            name = "adamw"
            pairs = zip(
                _OF_ADAMW, (decay.argument(i, n) for i, n in enumerate(_OF_ADAMW)), strict=True
            )
            words += [ast.keyword(n, v) for n, v in pairs if v is not None]
        of = (decay or part).call  # where a mask is noted
        yield Part(name, ast.copy_location(ast.Call(of.func, [], words), of))


def _rate(parts: Sequence[Part]) -> ast.expr | None:
    """The learning rate that parts of a chain multiply by; None where it is not plain."""
    by_name = {p.name: p.argument(0, "step_size" if "sched" in p.name else "learning_rate")
               for p in parts}  # fmt: skip
    if len(by_name) != len(parts):
        return None
    if "scale" in by_name:
        scale = next(p for p in parts if p.name == "scale").argument(0, "step_size")
        by_name["scale"] = scale
    match by_name:
        case {"scale": ast.UnaryOp(op=ast.USub(), operand=value), **rest} if not rest:
            return value
        case {"scale": ast.expr() as value, **rest} if not rest:
            return ast.UnaryOp(ast.USub(), value)
        case {"scale_by_learning_rate": ast.expr() as value, **rest} if not rest:
            return value
        case {"scale": ast.UnaryOp(op=ast.USub(), operand=ast.Constant(1 | 1.0)),
              "scale_by_schedule": ast.expr() as schedule, **rest} if not rest:  # fmt: skip
            return schedule
    return None
