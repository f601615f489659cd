"""A line of JAX's, tried beside PyTorch: both are given the same arrays."""

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import FOLDER, Rows, meaning
from jaxvstorch._port.map.running.call import Call
from jaxvstorch._port.map.running.compare import Difference, compare
from jaxvstorch._port.map.running.of_jax import of_jax, parameters
from jaxvstorch._port.map.running.values import DTYPES
from jaxvstorch._port.map.verdict import SAME_OBJECT
from tools.check_map import jax_samples, jax_variants, samples, turning
from tools.check_map.arguments import OUT_OF_RANGE
from tools.check_map.from_jax_training import try_module, try_schedule, try_steps
from tools.check_map.gradients import at_points
from tools.check_map.jax_calls import (
    differences,
    drawn,
    gradient_differences,
    in_torch,
    namespace,
    outcome,
    refusal,
    repeated,
    text_of,
)
from tools.check_map.jax_samples import Sample
from tools.check_map.jax_values import to_jax, to_torch
from tools.check_map.tally import Tally
from tools.check_map.variants import of_trial

# Trials that name what differs in them.
_NAMED = frozenset({"two dtypes", "numbers beyond int8", OUT_OF_RANGE})
LIBRARIES = ("flax.", "equinox.", "haiku.")  # their names lead to those of nnx


def try_row(row: Row) -> Tally:
    """Run a line beside PyTorch, unless its name has no counterpart."""
    base = meaning(row)
    if base.expression is None or elsewhere(row):
        return Tally()
    if row.form_of:
        return _form(row, base)
    if row.made is None:
        return _constant(row)
    if "optimizer" in row.used:
        return try_schedule(row, samples_of(row))
    if "params" in row.used - set(row.parameters):
        return try_steps(row, samples_of(row))
    if row.name.startswith("nnx.") and row.called is not None and row.option("weights"):
        return try_module(row, samples_of(row))
    return _function(row)


def elsewhere(row: Row) -> bool:
    """Whether a name is of another library, or one that JAX had: it only leads to a line."""
    return row.name.startswith(LIBRARIES) or row.name in _removed()


@cache
def _removed() -> Rows:
    return Rows([FOLDER / "jax" / "removed.txt"])


def samples_of(row: Row) -> list[Sample]:
    """What a line is tried on: its own samples, or those that fit its signature, or PyTorch's."""
    return _written(row)[:: samples.stride] or _turned(row)


def _written(row: Row) -> list[Sample]:
    """A line's own samples, or those that fit its signature."""
    written = row.option("try")
    if written is None:
        return jax_samples.fitting(parameters(row.name))
    return [_sample(item, row) for item in eval(written, dict(jax_samples.SETS))]


def _sample(item: Any, row: Row) -> Sample:
    if isinstance(item, Sample):
        return item
    if row.called is not None:
        return Sample(item[0], called=item[1])
    return Sample(item) if isinstance(item, tuple) else Sample((item,))


def _turned(row: Row) -> list[Sample]:
    """PyTorch's samples of the name whose line this one turns around."""
    turn = turning.turns().get(row.name)
    if turn is None or turn.line.partition(" => ")[2] != _right(row):
        return []
    calls = list(samples.written_calls(turn.row, len))
    for operation in samples.operations(turn.row.name):
        for dtype, every in ((torch.float32, 2), (torch.int32, 4)):
            calls += samples.calls(operation, dtype)[::every]
    return [sample for call in calls if (sample := _from_torch(turn, call))]


def _right(row: Row) -> str:
    refused = row.option("refused")
    return f"{row.expression}" + (f" ; refused: {refused}" if refused else "")


def _from_torch(turn: turning.Turn, call: Call) -> Sample | None:
    """A call of PyTorch's in JAX's parameters; nothing where JAX lacks one of them."""
    theirs = {ours: name for name, ours in turn.names.items()}
    given = dict(zip(turn.row.taken(), call.args, strict=False)) | turn.row.own_names(call.kwargs)
    unlike = len(call.args) > len(turn.row.taken()) or given.keys() - theirs.keys()
    if unlike or call.after is not None or any(f"*{name}" in turn.line for name in theirs):
        return None
    named = {theirs[name]: _in_numpy(value) for name, value in given.items()}
    order = [p.name for p in parameters(turn.name) if p.kind is not p.KEYWORD_ONLY]
    args = []
    while order and order[0] in named:
        args.append(named.pop(order.pop(0)))
    return Sample(tuple(args), named, kind="PyTorch's samples")


def _in_numpy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().resolve_conj().resolve_neg().numpy()
    if isinstance(value, torch.dtype):
        return np.dtype(str(value)[6:]).type
    if type(value) is list:
        return [_in_numpy(item) for item in value]
    return tuple(map(_in_numpy, value)) if isinstance(value, tuple) else value


def _constant(row: Row) -> Tally:
    tally = Tally()
    theirs, ours = of_jax(row.name), eval(row.expression or "", namespace())
    if isinstance(ours, frozenset):  # a category of dtypes
        for dtype, same in DTYPES.items():
            answers = dtype in ours, bool(jnp.issubdtype(same, theirs))
            tally.add("dtypes", str(dtype)[6:], compare(*answers, True))
    elif isinstance(ours, type | UnionType):  # what is one of it?
        for value in (jax_samples.x, np.dtype("int32"), 1.5, "text", [1.0]):
            answers = isinstance(to_torch(value), ours), isinstance(to_jax(value), theirs)
            tally.add("type", repr(value), compare(*answers, True))
    else:
        tally.add("constant", row.name, compare(ours, theirs, wide=True))
    return tally


def _form(row: Row, base: Row) -> Tally:
    """Compare a form with the name it is a form of, both in JAX."""
    tally = Tally()
    form, function = of_jax(row.name), of_jax(base.name)
    if form is function or base.made is None:
        tally.add(SAME_OBJECT if form is function else "form", "", [])
        return tally
    for sample in samples_of(base):
        if row.name.startswith("Array.") and sample.kind == "a number":
            continue  # which has no methods
        both = [outcome(function, to_jax, sample), outcome(form, to_jax, sample)]
        tally.add("form", text_of(sample), differences(*both))
    return tally


def _function(row: Row) -> Tally:
    tally, function, tried = Tally(), of_jax(row.name), samples_of(row)
    if row.draws:
        made = [v for sample in tried[:1] for v in jax_variants.special_samples(row, sample)]
    elif row.called is not None:
        made = [v for sample in tried[:1] for _, v in jax_variants.argument_samples(row, sample)]
    else:
        made = [*jax_variants.variants(row, tried)]
    for sample in [*tried, *made[:: samples.stride]]:
        refused = refusal(row, sample)
        if refused is not None:
            tally.add("refused", text_of(sample), [refused])
            continue
        theirs = outcome(function, to_jax, sample)
        ours = outcome(in_torch(row), to_torch, sample)
        makes_keys = (row.expression or "").startswith("torch.Generator")
        compared = drawn if row.draws or makes_keys else differences
        kind = "draws" if row.draws and not sample.kind else sample.label()
        if kind in ("two dtypes", "numbers beyond int8") and isinstance(theirs, TypeError):
            continue  # JAX takes no such dtypes, as an index of floats
        found = compared(ours, theirs)
        if kind in _NAMED:
            found = _of_one_dtype(row, sample, of_trial(kind, found))
        elif kind in jax_variants.OF_DTYPES:
            found = _of_refused_dtype(row, sample, found)
        tally.add(kind, text_of(sample), found)
    if row.draws:
        tally.add("drawn again", text_of(tried[0]), repeated(row, function, tried[0]))
    else:
        _add_gradients(row, function, tally)
    return tally


def _of_one_dtype(row: Row, sample: Sample, found: list[Difference]) -> list[Difference]:
    """The differences, where PyTorch may refuse the wider of two dtypes alone too."""
    if all(difference.kind != "two dtypes" for difference in found):
        return found
    ours = outcome(in_torch(row), to_torch, jax_variants.widened(sample))
    if not isinstance(ours, Exception):
        return found
    return [d._replace(kind="only PyTorch raises") for d in found]


def _of_refused_dtype(row: Row, sample: Sample, found: list[Difference]) -> list[Difference]:
    """The differences, where PyTorch refuses a dtype, and not the call in every one.

    Otherwise that call would not be seen beside one with a Python number, which many refuse.
    """
    if all(difference.kind != "only PyTorch raises" for difference in found):
        return found
    for other in jax_variants.in_common_dtypes(sample):
        if not isinstance(outcome(in_torch(row), to_torch, other), Exception):
            return [d._replace(kind="dtypes") for d in found]
    return found


def _add_gradients(row: Row, function: Callable[..., Any], tally: Tally) -> None:
    """Compare gradients in float64, on some samples whose first array is of float32."""
    chosen = [s for s in _written(row) if s.label() == "float32" and s.called is None][:4]
    trials = [("gradient", sample) for sample in chosen[:: samples.stride]]
    for sample in chosen[:1]:
        trials += [("kink", point) for point in jax_variants.points(row, sample)][:: samples.stride]
    with jax.enable_x64(True):
        for kind, sample in trials:
            found = gradient_differences(row, function, wide := jax_samples.widened(sample))
            if found is not None:
                tally.add(kind, text_of(wide), at_points(kind, found))
