"""Pytrees in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils import parameters_to_vector
from torch.utils import _pytree as pytree  # private; torch.func and torch.compile use it

from jaxvstorch.examples.pytrees.state import Moments

Params = dict[str, dict[str, Float[Tensor, "..."]]]
Named = dict[str, Float[Tensor, "..."]]


def sgd_step(params: Params, grads: Params, rate: float) -> Params:
    """Move each parameter against its gradient."""
    return pytree.tree_map(lambda p, g: p - rate * g, params, grads)


def global_norm(tree: Params) -> Float[Tensor, ""]:
    """Take the root of the sum of all squares in a tree."""
    norms = [torch.linalg.vector_norm(x) for x in pytree.tree_leaves(tree)]
    return torch.linalg.vector_norm(torch.stack(norms))


def clip_by_global_norm(grads: Params, limit: float) -> Params:
    """Scale all gradients by one factor, so that their norm is at most ``limit``."""
    scale = torch.clamp(limit / global_norm(grads), max=1.0)
    return pytree.tree_map(lambda g: g * scale, grads)


def decay_weights(params: Named, rate: float) -> Named:
    """Decay everything except the biases, which the end of a name shows."""
    return {name: p if name.endswith("bias") else (1 - rate) * p for name, p in params.items()}


def average(mean: Named, params: Named, decay: float) -> Named:
    """Move a running average towards the new parameters."""
    return {name: torch.lerp(params[name], m, decay) for name, m in mean.items()}


def mlp_apply(params: Params, x: Float[Tensor, "batch in"]) -> Float[Tensor, "batch out"]:
    """Apply two layers with a hyperbolic tangent between them."""
    hidden, output = params["hidden"], params["output"]
    h = torch.tanh(x @ hidden["weight"] + hidden["bias"])
    return h @ output["weight"] + output["bias"]


def _loss(params: Params, x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(mlp_apply(params, x), y)


def mlp_gradients(
    params: Params, x: Float[Tensor, "batch in"], y: Float[Tensor, "batch out"]
) -> Params:
    """Differentiate the loss: the gradient of a tree is a tree of the same structure."""
    return torch.func.grad(_loss)(params, x, y)


def flatten_to_vector(params: Named) -> Float[Tensor, " n"]:
    """Put all numbers of a dict into one vector, in the order of its keys."""
    return parameters_to_vector(params.values())


def stack_trees(trees: list[Params]) -> Params:
    """Make one tree of several: each leaf gets a first axis, the number of the tree."""
    return pytree.tree_map(lambda *leaves: torch.stack(leaves), *trees)


def ensemble_apply(
    params: Params, x: Float[Tensor, "batch in"]
) -> Float[Tensor, "members batch out"]:
    """Apply stacked networks to one batch: one axis, 0, for every leaf of ``params``."""
    return torch.vmap(mlp_apply, in_dims=(0, None))(params, x)


def adam_step(
    params: Params, grads: Params, moments: Moments, rate: float
) -> tuple[Params, Moments]:
    """Take a step of Adam with its usual constants; the moments are trees like the parameters."""
    count = moments.count + 1
    mean = pytree.tree_map(lambda m, g: 0.9 * m + 0.1 * g, moments.mean, grads)
    square = pytree.tree_map(lambda v, g: 0.999 * v + 0.001 * g * g, moments.square, grads)

    def step(p: Tensor, m: Tensor, v: Tensor) -> Tensor:
        root = torch.sqrt(v / (1 - 0.999**count))
        return p - rate * m / (1 - 0.9**count) / (root + 1e-8)

    return pytree.tree_map(step, params, mean, square), Moments(mean, square, count)
