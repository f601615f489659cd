"""Guards on tensors and on PyTorch's settings, compared with what is there now."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import torch

from jaxvstorch._explain import ledger_cures as cures
from jaxvstorch._explain.ledger_cures import Why
from jaxvstorch._explain.shorthand import describe, kind
from jaxvstorch._explain.torch import dynamo_cache

_SOURCE = re.compile(r"[LG]\['[^']+'\](?:\[[^\]]+\]|\._?\w+(?!\w*\())*")


def difference(guard: str, value: Any) -> Why | None:
    """What a tensor was, according to its guard, and what it is now; ``None`` if they agree.

    Args:
        guard: ``check_tensor(…)``, as Python code.
        value: what is there now.
    """
    was = _arguments(guard)
    shown = f"{was['dtype']}[{','.join('any' if n is None else str(n) for n in was['size'])}]"
    if not isinstance(value, torch.Tensor):
        return Why(f"{shown} → {describe(value)}", cures.NONE if value is None else cures.ONE_TYPE)
    if was["dtype"] != kind(value.dtype) or not _agree(was["size"], value.shape):
        return Why(f"{shown} → {describe(value)}", _cure(was, value))
    return _less_visible(was, value)


def _cure(was: dict[str, Any], value: torch.Tensor) -> str:
    """What to do about another dtype or shape."""
    if was["dtype"] != kind(value.dtype):
        return cures.TENSOR_DTYPE
    if len(was["size"]) != len(value.shape):
        return cures.RANK
    changed = [{n, m} for n, m in zip(was["size"], value.shape, strict=True) if n != m]
    return cures.SMALL if any({0, 1} & sizes for sizes in changed) else cures.FIXED_SIZE


def parts_that_differ(guard: str, value: Any) -> int:
    """In how many of dtype, sizes, ``requires_grad`` and so on a tensor differs from its guard."""
    was = _arguments(guard)
    if not isinstance(value, torch.Tensor):
        return 1
    differs: list[bool] = [
        was["dtype"] != kind(value.dtype),
        was["requires_grad"] != value.requires_grad,
    ]
    if len(was["size"]) != len(value.shape):
        return sum(differs) + 1
    sizes = zip(was["size"], value.shape, strict=True)
    differs += [n is not None and n != m for n, m in sizes]
    if not any(differs[2:]) and value.layout == torch.strided:  # strides follow from sizes
        differs.append(not _agree(was["stride"], value.stride()))
    differs += [was["type"] != type(value).__name__]
    differs += [was["device"] is not None and was["device"] != value.device.index]
    return sum(differs)


def _less_visible(was: dict[str, Any], value: torch.Tensor) -> Why | None:
    if was["requires_grad"] != value.requires_grad:
        text = f"requires_grad {was['requires_grad']} → {value.requires_grad}"
        return Why(text, cures.GRADIENT)
    if value.layout == torch.strided and not _agree(was["stride"], value.stride()):
        text = f"strides {_tuple(was['stride'])} → {tuple(value.stride())}"
        return Why(text, cures.STRIDES)
    if was["type"] != type(value).__name__:
        return Why(f"{was['type']} → {type(value).__name__}", cures.ONE_TYPE)
    device = value.device.type.upper()
    if was["keys"] and device not in was["keys"]:
        return Why(f"on {was['keys'][0].lower()} → on {value.device}", cures.DEVICE)
    if was["device"] is not None and was["device"] != value.device.index:
        text = f"on {value.device.type}:{was['device']} → on {value.device}"
        return Why(text, cures.DEVICE)
    return None


def dynamic_dims(guard: str) -> tuple[int, ...]:
    """The dimensions of a tensor for which a program takes any size."""
    if not guard.startswith("check_tensor("):
        return ()
    return tuple(i for i, n in enumerate(_arguments(guard)["size"]) if n is None)


def _arguments(guard: str) -> dict[str, Any]:
    call = ast.parse(guard, mode="eval").body
    assert isinstance(call, ast.Call)
    named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    keys = call.args[2].args if isinstance(call.args[2], ast.Call) else []
    return {
        "type": ast.unparse(call.args[1]).rpartition(".")[2],
        "keys": [ast.unparse(key) for key in keys],
        "dtype": kind(ast.unparse(call.args[3])),
        **named,
    }


def _agree(expected: list[int | None], actual: Any) -> bool:
    if len(expected) != len(actual):
        return False
    return all(n is None or n == m for n, m in zip(expected, actual, strict=True))


def _tuple(sizes: list[int | None]) -> str:
    inside = ", ".join("any" if n is None else str(n) for n in sizes)
    return f"({inside}{',' * (len(sizes) == 1)})"


def is_identity(guard: str) -> bool:
    """Whether a guard wants two values to be the same one."""
    values = sources_in(guard)
    return len(values) == 2 and guard == " is ".join(values)


def sources_in(check: str) -> list[str]:
    """The values in a guard, as Dynamo writes them, each once."""
    return list(dict.fromkeys(match[0] for match in _SOURCE.finditer(check)))


def variables_in(check: str) -> list[str]:
    """The function's own variables in a guard."""
    return re.findall(r"L\['([^']+)'\]", check)


def settings_changed(earlier: str) -> Iterator[str]:
    """The settings that have changed since a program was compiled.

    Args:
        earlier: what they were, as JSON.
    """
    was, now = json.loads(earlier or "{}"), dynamo_cache.global_state()
    for name, value in now.items():
        before = was.get(name, value)
        if name == "autocast_state":
            before, value = any(before["enabled"]), any(value["enabled"])
        if before == value:
            if name == "autocast_state" and was[name] != now[name]:
                yield "autocast: other settings"
            continue
        shown = _SETTINGS.get(name, name.replace("_", " "))
        if isinstance(value, bool):
            yield f"{shown}: {_on(before)} → {_on(value)}"
        else:
            numbers = _DTYPES if name == "default_dtype" else {}
            yield f"{shown}: {numbers.get(before, before)} → {numbers.get(value, value)}"


_DTYPES = {5: "f16", 6: "f32", 7: "f64", 15: "bf16"}  # PyTorch's numbers for them


def _on(value: bool) -> str:
    return "on" if value else "off"


_SETTINGS = {
    "grad_mode": "gradients recorded",
    "autocast_state": "autocast",
    "default_dtype": "default dtype",
    "num_threads": "threads",
    "deterministic_algorithms": "deterministic algorithms",
}
