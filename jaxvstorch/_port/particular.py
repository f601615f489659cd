"""What one function of PyTorch does, beyond its line in the map."""

import ast

import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.values import leaves

ASSIGN = "changes its array: assign the result"
OF_EQUALS = "the values are the same: of equal ones another one's place comes"
STABLE = "equal values come in another order: JAX's order is that of stable=True"
LEFT_OUT = "leave out what is one-dimensional and empty: PyTorch skips it, and JAX does not"


def changes_its_array(name: str) -> bool:
    """Whether a method writes into the array that it is called on, as ``add_`` does."""
    return name.endswith("_") and not name.endswith("__")


def not_skipped(call: Call) -> list[torch.Tensor]:
    """The arrays that ``torch.cat`` puts together, where it skips others."""
    arrays = call.args[0] if call.args else []
    kept = [x for x in arrays if x.shape != (0,)]
    return kept if len(kept) < len(arrays) and any(x.ndim > 1 for x in kept) else []


def gathered(row: Row, call: Call) -> Call:
    """``x.permute(0, 2, 1)`` with its numbers as one argument, as the map has it."""
    if row.made is None:
        return call
    lambda_ = ast.parse(f"lambda {row.made}: 0", mode="eval").body
    assert isinstance(lambda_, ast.Lambda)
    count = len(lambda_.args.args)
    if lambda_.args.vararg is not None or len(call.args) <= count or not count:
        return call
    args = (*call.args[: count - 1], call.args[count - 1 :])
    return Call(call.function, args, call.kwargs)


def masked(row: Row, call: Call) -> bool:
    """Whether an array is indexed with a mask."""
    if row.name != "Tensor.__getitem__":
        return False
    places = call.args[1] if isinstance(call.args[1], tuple) else (call.args[1],)
    return any(isinstance(p, torch.Tensor) and p.dtype == torch.bool for p in places)


def tied(row: Row, call: Call, result: object) -> bool:
    """Whether sorting gave equal values in another order than a stable sort, and nothing else."""
    x = call.args[0] if call.args else None
    if row.name not in ("torch.sort", "torch.argsort") or not isinstance(x, torch.Tensor):
        return False
    given = dict(zip(("dim", "descending"), call.args[1:], strict=False)) | call.kwargs
    stable = torch.argsort(x, **given | {"stable": True})
    places, dim = leaves(result)[-1], given.get("dim", -1)
    by_both = [torch.take_along_dim(x, p, dim) for p in (places, stable)]
    return torch.equal(*by_both) and not torch.equal(places, stable)
