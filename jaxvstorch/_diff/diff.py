"""Where do two implementations part?

Both run on the same inputs, and every intermediate array of both is recorded, with the line that
made it. The arrays are matched by their numbers, so no names need to be aligned. The first array
that has no counterpart, though all it is computed from has one, is where they part. The second side
then gets the first's numbers there, and the search goes on.
"""

import linecache
from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._diff.difference import Diff
from jaxvstorch._diff.recording import eps_of
from jaxvstorch._diff.side import Inputs, Side, keep
from jaxvstorch._diff.storage import FullDiskError
from jaxvstorch._frameworks.containers import arrays_in
from jaxvstorch._frameworks.importing import importing
from jaxvstorch._parity.refusals import require_inputs

_FLOAT32 = float(np.finfo(np.float32).eps)


def diff(
    first: Any,
    second: Any,
    inputs: Inputs,
    *,
    weights: Mapping[str, str] | None = None,
    gradient: bool = False,
    float64: bool = True,
) -> Diff:
    """Find each place where two implementations part, such as a PyTorch model and its JAX port.

    Both sides run on the same inputs, in float64 where they can, and operation by operation:
    compiled functions are not compiled, and loops of JAX are unrolled. A side can be:

    - a function of either framework, or a method of a module;
    - an ``nn.Module``, or a module of flax's NNX, of linen with its variables bound, or of equinox;
    - ``(function, weights)``, called as ``function(weights, *inputs)``; ``(module, variables)`` of
      linen, or ``(transformed, params)`` of haiku.

    Both may be of one framework. Nothing of the reader's model changes. Weights that have other
    numbers on the second side are given the first's: if most agree, those that do not are
    differences; if most do not, they are carried over by name and shape.

    Of each side's arrays, 512 MB stay in memory. The others go to temporary files below ``TMPDIR``,
    which are gone when ``diff`` returns or raises.

    Args:
        first: the side that counts as right, as a rule the original.
        second: the other, as a rule the port.
        inputs: positional arguments for both: NumPy arrays, Python values, and tuples, lists and
            dicts of these.
        weights: names of the second side's weights, each with the first side's name for it, where
            names and shapes do not tell.
        gradient: whether to compare the backward pass too: the gradients with respect to the
            weights, or to the inputs where a side has no weights. They are those of the output
            if it is one number, else of the sum of the squares and sines of all outputs.
        float64: whether to run in float64 where both sides can. Without it, they run in the dtypes
            that they have: a model in float32 takes less memory, and differences as small as some
            roundings are not seen.

    Returns:
        The report. It prints each place with the lines of both sides; the cause, if a way in which
        operations commonly differ gives the second side's numbers or the operations show it; and
        how far the outputs move once the second side has the first's numbers there.

    Raises:
        TypeError: a side is none of the above, or ``inputs`` is no tuple of arrays.
        ValueError: the sides return different numbers of arrays, or ``weights`` names a weight
            that a side does not have.
        OSError: the arrays of a large model go to temporary files, and their disk is full.
        MissingFrameworkError: one of the frameworks is not installed.

    >>> import numpy as np, jax, torch
    >>> def original(x):
    ...     return torch.nn.functional.gelu(x) * 2
    >>> def port(x):
    ...     return jax.nn.gelu(x) * 2
    >>> report = diff(original, port, (np.linspace(-2, 2, 9, dtype=np.float32),))
    >>> report.differences[0].cause
    "with approximate='none' in place of approximate='tanh', JAX agrees"
    """
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by="diff")
    require_inputs(inputs)
    with importing("diff"):
        from jaxvstorch._diff import sides as made
        from jaxvstorch._diff.carrying import carry_weights
        from jaxvstorch._diff.finding import differences_of, report_on
        from jaxvstorch._diff.parting import Search

    linecache.checkcache()  # a report shows the lines as they are now
    sides = made.side_of(first, "first"), made.side_of(second, "second")
    titles = made.titles_of(sides)
    wanted = _gradients(sides, inputs, weights or {}) if gradient else ([], [])
    notes: list[str] = []
    try:
        wide, working = float64, _FLOAT32 if float64 else _own(sides)
        search = Search(sides, inputs, wide, working, wanted)
    except FullDiskError:
        raise
    except Exception:  # as of a layer in float32 that refuses float64
        wide, working, notes = precision(sides, inputs, titles) if float64 else (True, working, [])
        if wide:
            raise
        search = Search(sides, inputs, wide, working, wanted)
    found, about_weights = carry_weights(search, titles, weights or {})
    found += [difference for difference, _ in differences_of(search, titles)]
    return report_on(search, titles, found, [*notes, *about_weights])


def precision(
    sides: tuple[Side, Side], inputs: Inputs, titles: tuple[str, str]
) -> tuple[bool, float, list[str]]:
    """Whether both sides can run in float64; the ``eps`` that counts; what to say of it."""
    for title, side in zip(titles, sides, strict=True):
        try:
            side.run(inputs, keep, wide=True)
        except FullDiskError:
            raise
        except Exception as error:
            why = " ".join(str(error).split())[:120]
            note = f"compared as they are, since {title} does not run in float64: {why}"
            return False, _own(sides), [note]
    return True, _FLOAT32, []


def _own(sides: tuple[Side, Side]) -> float:
    """The ``eps`` of the coarsest weights, or of float32."""
    return max([_FLOAT32, *(eps_of(x) for side in sides for x in side.weights.values())])


def _gradients(
    sides: tuple[Side, Side], inputs: Inputs, given: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The names, on both sides, of what the gradients are taken with respect to."""
    from jaxvstorch._diff.weights import correspond

    first, second = (side.weights for side in sides)
    weights = correspond(first, second, given)
    by_name = {name: other for name, (other, _) in weights.by_name.items()}
    pairs = [
        (other, name)
        for name, other in (weights.equal | by_name).items()
        if other in sides[0].trained and name in sides[1].trained
    ]
    if not pairs:
        arrays = [array for value in inputs for array in arrays_in(value)]
        pairs = [(f"input {n}",) * 2 for n, array in enumerate(arrays) if eps_of(array)]
    return [a for a, _ in pairs], [b for _, b in pairs]
