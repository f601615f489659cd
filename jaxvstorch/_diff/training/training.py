"""In which step do two training loops part, and at what?"""

import linecache
from collections.abc import Iterable, Mapping
from typing import Any

from jaxvstorch import _frameworks
from jaxvstorch._diff.difference import Diff
from jaxvstorch._diff.side import Inputs
from jaxvstorch._frameworks.importing import importing
from jaxvstorch._parity.refusals import require_inputs


def diff_training(
    first: Any,
    second: Any,
    batches: Iterable[Inputs],
    *,
    weights: Mapping[str, str] | None = None,
) -> Diff:
    """Find the first training step in which two implementations part, and from what.

    Both take one step for each batch, in float64 where they can and without compiling. After each
    the losses, the gradients and the new parameters are compared, and where they agree the second
    side goes on with the first's parameters. A side can be:

    - in PyTorch, a function or method called as ``step(*batch)``, which uses a model and an
      optimizer from outside, and schedules if it has any;
    - in JAX, ``(step, state, …)``, called as ``step(state, …, *batch)``, which returns each of the
      states after the step, alone or in a tuple beside other arrays; or which changes modules and
      optimizers of flax's NNX that are passed as states.

    The parameters of both begin with the first's numbers. What a step changes outside is as before
    afterwards: parameters, the optimizer's state, schedules, counters, lists and dictionaries, and
    generators of random numbers; an iterator that it reads goes on.

    Args:
        first: the side that counts as right.
        second: the other.
        batches: for each step, a tuple of the arguments for both: NumPy arrays, Python values, and
            containers of these.
        weights: names of the second side's parameters, each with the first side's name for it,
            where numbers, names and shapes do not tell.

    Returns:
        The report on the first step that parts, or else on the last one. ``Diff.step`` is its
        number, and ``Difference.origin`` says what a difference comes from: the forward pass, the
        gradient, the optimizer's rule, its state, the schedule, or random numbers.

    Raises:
        TypeError: a side is none of the above, or returns no state that it was given.
        ValueError: there is no batch, or nothing that both sides train.
        OSError: as of ``diff``, the arrays of a large model go to files, and their disk is full.
        MissingFrameworkError: one of the frameworks is not installed.

    >>> import jax, numpy as np, torch
    >>> layer = torch.nn.Linear(3, 1, bias=False)
    >>> optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
    >>> def torch_step(x):
    ...     optimizer.zero_grad()
    ...     loss = layer(x).square().mean()
    ...     loss.backward()
    ...     optimizer.step()
    ...     return loss
    >>> def jax_step(w, x):
    ...     loss, gradient = jax.value_and_grad(lambda w: ((x @ w.T) ** 2).mean())(w)
    ...     return w - 0.1 * gradient, loss
    >>> w = layer.weight.detach().numpy()
    >>> batches = np.random.default_rng(0).normal(size=(3, 8, 3))
    >>> report = diff_training(torch_step, (jax_step, w), [(x,) for x in batches])
    >>> report.step, str(report.differences[0].origin)
    (2, "optimizer's rule")
    """
    for name in _frameworks.FRAMEWORKS:
        _frameworks.require(name, wanted_by="diff_training")
    batches = list(batches)
    if not batches:
        raise ValueError("batches is empty: pass one tuple of arguments for each step")
    for batch in batches:
        require_inputs(batch)
    with importing("diff_training"):
        from jaxvstorch._diff.training.loops import diff_loops
    linecache.checkcache()
    return diff_loops(first, second, batches, weights or {})
