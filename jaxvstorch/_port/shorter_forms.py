"""Shorter JAX for calls of PyTorch, where the values of a run show that it computes the same.

The map's line of ``torch.nn.functional.cross_entropy`` takes weights, classes to ignore and
probabilities. A program whose labels are classes, in every call of the run, does without.
"""

import ast
from collections.abc import Callable, Hashable
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch

from jaxvstorch._port.isolation import unseen
from jaxvstorch._port.judging import settings_of
from jaxvstorch._port.map.row import Row
from jaxvstorch._port.map.rows import meaning, rows

PARTS = "PARTS"  # stands for the number of names that a result is unpacked into


class ShorterForm(NamedTuple):
    """Shorter JAX for one name of the map.

    Attributes:
        holds: whether it computes the same, by the values of the parameters.
        expression: in JAX, over the map's parameters.
        once: the same with each parameter once, if the first has one several times.
    """

    holds: Callable[[Any], bool]
    expression: str
    once: str | None = None


class ShorterForms:
    """Which calls of a run can be written shorter.

    Attributes:
        hold: whether the shorter form held in all calls, by location, or by module.
    """

    def __init__(self) -> None:
        self.hold: dict[Any, bool] = {}

    def see(self, name: str, at: Hashable, args: Any, kwargs: Any) -> None:
        """Look at one call.

        Args:
            name: of the function, in the map.
            at: the call's location, or the module that is called.
            args: its arguments by position.
            kwargs: its arguments by name.
        """
        row = _meant(name)
        if row is None or self.hold.get(at) is False:
            return
        settings = settings_of(row, at) if isinstance(at, torch.nn.Module) else {}
        names = row.taken(second=bool(row.called))
        given = dict(zip(names, args, strict=False)) | row.own_names(kwargs)
        try:
            with unseen():
                self.hold[at] = bool(_holds(row, settings | given))
        except Exception:  # such as an argument that is missing
            self.hold[at] = False


@cache
def _meant(name: str) -> Row | None:
    """The row that says what a name is, if it has a shorter form."""
    row = rows().get(name)
    row = row and meaning(row)
    return row if row is not None and row.name in FORMS else None


def shorter(name: str, once: bool = False) -> str | None:
    """The expression of a name's shorter form, if it has one, or that with each parameter once."""
    row = _meant(name)
    if row is None:
        return None
    return FORMS[row.name].once if once else FORMS[row.name].expression


def _holds(row: Row, given: dict[str, Any]) -> bool:
    values = {n: ast.literal_eval(d) for n, d in row.parameters.items() if d is not None}
    return bool(FORMS[row.name].holds(SimpleNamespace(**values | given)))


def _is_of_classes(v: Any) -> bool:
    """The mean loss of rows of scores, each with a class that counts."""
    classes = v.input.ndim == 2 and v.target.ndim == 1 and not v.target.is_floating_point()
    plain = v.weight is None and v.reduction == "mean" and not getattr(v, "label_smoothing", 0)
    counted = classes and plain and v.target.numel() > 0
    return counted and bool(((v.target >= 0) & (v.target != v.ignore_index)).all())


def _is_mean(v: Any) -> bool:
    alike = v.input.shape == v.target.shape and v.target.is_floating_point()
    return alike and v.weight is None and v.pos_weight is None and v.reduction == "mean"


def _is_pool(v: Any) -> bool:
    numbers = [n for n in (v.kernel_size, v.stride, v.padding) if n is not None]
    plain = v.input.ndim == 4 and v.input.is_floating_point() and not v.ceil_mode
    return plain and all(isinstance(n, int) for n in numbers)


def _is_max_pool(v: Any) -> bool:
    return v.dilation == 1 and not v.return_indices and _is_pool(v)


def _is_average_pool(v: Any) -> bool:
    return v.divisor_override is None and v.padding == 0 and _is_pool(v)


def _is_average(v: Any) -> bool:
    return bool(v.input.ndim == 4) and v.output_size in (1, (1, 1), [1, 1])


def _is_flattened(v: Any) -> bool:
    rest = v.start_dim == 1 and v.end_dim in (-1, v.input.ndim - 1)
    return rest and v.input.ndim > 1 and v.input.numel() > 0


def _is_norm(v: Any) -> bool:
    """The norm of all numbers, which are not all 0: there the gradients differ."""
    return v.p in ("fro", 2, None) and v.dim is v.dtype is None and bool(v.input.any())


def _is_even(v: Any) -> bool:
    size = v.split_size_or_sections
    if isinstance(size, int):
        length: int = v.tensor.shape[v.dim]
        return 0 < size < length and length % size == 0
    return len(size) > 1 and len(set(size)) == 1


def _is_chunked_evenly(v: Any) -> bool:
    length: int = v.input.shape[v.dim]
    return length > 0 and length % v.chunks == 0


def _is_one_axis(v: Any) -> bool:
    return isinstance(v.dim, int) and bool(v.input.shape[v.dim] == 1)


def _is_of_last_axis(v: Any) -> bool:
    return bool(v.input.ndim > 0 and v.dim % v.input.ndim == v.input.ndim - 1 and v.largest)


def _is_along_axis(v: Any) -> bool:
    axis = v.dim % v.input.ndim
    shapes = [(*x.shape[:axis], *x.shape[axis + 1 :]) for x in (v.input, v.index)]
    return bool(v.index.numel() > 0 and shapes[0] == shapes[1])


_CROSS_ENTROPY = ShorterForm(
    _is_of_classes, "optax.softmax_cross_entropy_with_integer_labels(input, target).mean()"
)
_NLL = ShorterForm(_is_of_classes, "-jnp.take_along_axis(input, target[:, None], axis=1).mean()")
_BINARY = ShorterForm(_is_mean, "optax.sigmoid_binary_cross_entropy(input, target).mean()")
_STRIDES = "(1, 1, kernel_size, kernel_size) if stride is None else (1, 1, stride, stride)"
_WINDOWS = f"(1, 1, kernel_size, kernel_size), {_STRIDES}"
_PADS = "'VALID' if padding == 0 else ((0, 0), (0, 0), (padding, padding), (padding, padding))"
_MAX_POOL = ShorterForm(
    _is_max_pool, f"lax.reduce_window(input, -jnp.inf, lax.max, {_WINDOWS}, {_PADS})"
)
_AVERAGE_POOL = ShorterForm(
    _is_average_pool,
    f"lax.reduce_window(input, 0.0, lax.add, {_WINDOWS}, 'VALID') / kernel_size**2",
)
_AVERAGE = ShorterForm(
    _is_average,
    "jnp.mean(input, axis=(2, 3), keepdims=True)",
)
_FLATTENED = ShorterForm(
    _is_flattened,
    "input.reshape(input.shape[0], -1)",
    "lax.collapse(input, 1)",
)
FORMS = {
    "torch.nn.functional.cross_entropy": _CROSS_ENTROPY,
    "torch.nn.CrossEntropyLoss": _CROSS_ENTROPY,
    "torch.nn.functional.nll_loss": _NLL,
    "torch.nn.NLLLoss": _NLL,
    "torch.nn.functional.binary_cross_entropy_with_logits": _BINARY,
    "torch.nn.BCEWithLogitsLoss": _BINARY,
    "torch.nn.functional.max_pool2d": _MAX_POOL,
    "torch.nn.MaxPool2d": _MAX_POOL,
    "torch.nn.functional.avg_pool2d": _AVERAGE_POOL,
    "torch.nn.AvgPool2d": _AVERAGE_POOL,
    "torch.nn.functional.adaptive_avg_pool2d": _AVERAGE,
    "torch.nn.AdaptiveAvgPool2d": _AVERAGE,
    "torch.add": ShorterForm(lambda v: v.alpha != 1, "input + alpha * other"),
    "torch.sub": ShorterForm(lambda v: v.alpha != 1, "input - alpha * other"),
    "torch.norm": ShorterForm(_is_norm, "jnp.linalg.norm(input)"),
    "torch.flatten": _FLATTENED,
    "torch.nn.Flatten": _FLATTENED,
    "torch.split": ShorterForm(_is_even, f"jnp.split(tensor, {PARTS}, axis=dim)"),
    "torch.chunk": ShorterForm(_is_chunked_evenly, "jnp.split(input, chunks, axis=dim)"),
    "torch.squeeze": ShorterForm(_is_one_axis, "jnp.squeeze(input, axis=dim)"),
    "torch.gather": ShorterForm(_is_along_axis, "jnp.take_along_axis(input, index, axis=dim)"),
    "torch.topk": ShorterForm(_is_of_last_axis, "lax.top_k(input, k)"),
    "torch.multinomial": ShorterForm(
        lambda v: v.num_samples == 1,
        "jax.random.categorical(key, jnp.log(input))[..., None]",
    ),
}  # fmt: skip
