"""The answers of the pytree examples, in NumPy and float64."""

from typing import Any

import numpy as np

from jaxvstorch._frameworks.containers import leaves, mapped
from jaxvstorch.examples.pytrees.state import Moments

Array = np.ndarray[Any, Any]
Params = dict[str, dict[str, Array]]
Named = dict[str, Array]


def sgd_step(params: Params, grads: Params, rate: float) -> Params:
    """Each parameter moved against its gradient."""
    return mapped(lambda p, g: p - rate * g, params, grads)


def global_norm(tree: Params) -> Array:
    """The root of the sum of all squares."""
    return np.asarray(np.linalg.norm(flatten_to_vector(tree)))


def clip_by_global_norm(grads: Params, limit: float) -> Params:
    """The tree made shorter where its norm is over the limit."""
    scale = min(1.0, limit / global_norm(grads))
    return mapped(lambda g: g * scale, grads)


def decay_weights(params: Named, rate: float) -> Named:
    """Everything except the biases, decayed."""
    return {name: p * (1 - rate * ("bias" not in name)) for name, p in params.items()}


def average(mean: Named, params: Named, decay: float) -> Named:
    """A running average with the new parameters in it."""
    return mapped(lambda m, p: decay * m + (1 - decay) * p, mean, params)


def mlp_apply(params: Params, x: Array) -> Array:
    """A layer, its hyperbolic tangent, and another layer."""
    hidden, output = params["hidden"], params["output"]
    return np.tanh(x @ hidden["weight"] + hidden["bias"]) @ output["weight"] + output["bias"]


def mlp_gradients(params: Params, x: Array, y: Array) -> Params:
    """The derivatives of the mean squared error, by the chain rule."""
    h = np.tanh(x @ params["hidden"]["weight"] + params["hidden"]["bias"])
    error = 2 * (mlp_apply(params, x) - y) / y.size
    before = (error @ params["output"]["weight"].T) * (1 - h * h)
    return {
        "hidden": {"bias": before.sum(0), "weight": x.T @ before},
        "output": {"bias": error.sum(0), "weight": h.T @ error},
    }


def flatten_to_vector(tree: Any) -> Array:
    """All numbers in a row."""
    return np.concatenate([np.ravel(x) for x in leaves(tree)])


def stack_trees(trees: list[Params]) -> Params:
    """One tree, with a new first axis for the number of the tree."""
    first, *others = trees
    return mapped(lambda *xs: np.stack(xs), first, *others)


def ensemble_apply(params: Params, x: Array) -> Array:
    """The result of each network for the same batch."""
    members = [mapped(lambda p, i=i: p[i], params) for i in range(len(params["output"]["bias"]))]
    return np.stack([mlp_apply(member, x) for member in members])


def adam_step(
    params: Params, grads: Params, moments: Moments, rate: float
) -> tuple[Params, Moments]:
    """A step of Adam with its usual constants, and the moments after it."""
    count = moments.count + 1
    mean = mapped(lambda m, g: 0.9 * m + 0.1 * g, moments.mean, grads)
    square = mapped(lambda v, g: 0.999 * v + 0.001 * g * g, moments.square, grads)

    def step(p: Array, m: Array, v: Array) -> Array:
        return p - rate * m / (1 - 0.9**count) / (np.sqrt(v / (1 - 0.999**count)) + 1e-8)

    return mapped(step, params, mean, square), Moments(mean, square, count)
