"""A classifier of digits and a step of its training, in PyTorch.

Parameters have the names and the shapes of ``state_dict``.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

Named = dict[str, Float[Tensor, "..."]]

DECAY = 0.9  # of running statistics
RATE, MOMENTUM = 0.1, 0.9


def batch_norm(
    x: Float[Tensor, "n c h w"],
    weight: Float[Tensor, " c"],
    bias: Float[Tensor, " c"],
    mean: Float[Tensor, " c"],
    var: Float[Tensor, " c"],
) -> tuple[Float[Tensor, "n c h w"], Float[Tensor, " c"], Float[Tensor, " c"]]:
    """Normalize by the batch; also return the new running statistics."""
    mean, var = mean.clone(), var.clone()  # F.batch_norm writes into them
    out = F.batch_norm(x, mean, var, weight, bias, training=True, momentum=1 - DECAY)
    return out, mean, var


def forward(
    params: Named, statistics: Named, images: Float[Tensor, "n 8 8"]
) -> tuple[Float[Tensor, "n 10"], Named]:
    """The logits in training, and the new running statistics."""
    mean, var = statistics["batch_norm.running_mean"], statistics["batch_norm.running_var"]
    weight, bias = params["batch_norm.weight"], params["batch_norm.bias"]
    x, mean, var = batch_norm(_convolve(params, images), weight, bias, mean, var)
    return _head(params, x), {"batch_norm.running_mean": mean, "batch_norm.running_var": var}


def predict(
    params: Named, statistics: Named, images: Float[Tensor, "n 8 8"]
) -> Float[Tensor, "n 10"]:
    """The logits in evaluation, with the running statistics."""
    mean, var = statistics["batch_norm.running_mean"], statistics["batch_norm.running_var"]
    weight, bias = params["batch_norm.weight"], params["batch_norm.bias"]
    return _head(params, F.batch_norm(_convolve(params, images), mean, var, weight, bias))


def cross_entropy(logits: Float[Tensor, "n k"], labels: Int[Tensor, " n"]) -> Float[Tensor, ""]:
    """The mean over the images of minus the log-probability of the label."""
    return F.cross_entropy(logits, labels.long())


def accuracy(logits: Float[Tensor, "n k"], labels: Int[Tensor, " n"]) -> Float[Tensor, ""]:
    """The fraction of the images whose largest logit is the label's."""
    return (logits.argmax(dim=1) == labels).to(logits.dtype).mean()


def rotate(
    x: Float[Tensor, "n l heads size"], frequencies: Float[Tensor, " half"]
) -> Float[Tensor, "n l heads size"]:
    """Rotate each head by an angle for each position: rotary embeddings, of the two halves.

    Source: Su et al., RoFormer, 2021 (arXiv:2104.09864), in the layout of transformers.
    """
    positions = torch.arange(x.shape[1], dtype=frequencies.dtype, device=x.device)
    angles = positions[:, None, None] * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    turned = first * cos - second * sin, second * cos + first * sin
    return torch.cat(turned, dim=-1)


def train_step(
    params: Named,
    statistics: Named,
    velocity: Named,
    images: Float[Tensor, "n 8 8"],
    labels: Int[Tensor, " n"],
) -> tuple[Named, Named, Named, Float[Tensor, ""]]:
    """One step of gradient descent with momentum; the loss is from before it."""
    gradient = torch.func.grad_and_value(_loss, has_aux=True)
    grads, (loss, statistics) = gradient(params, statistics, images, labels)
    velocity = {name: MOMENTUM * v + grads[name] for name, v in velocity.items()}
    params = {name: p - RATE * velocity[name] for name, p in params.items()}
    return params, statistics, velocity, loss


def _loss(params: Named, statistics: Named, images: Tensor, labels: Tensor) -> tuple[Tensor, Named]:
    logits, statistics = forward(params, statistics, images)
    return cross_entropy(logits, labels), statistics


def _convolve(params: Named, images: Tensor) -> Tensor:
    return F.conv2d(images[:, None], params["conv.weight"], stride=2, padding=1)


def _head(params: Named, x: Tensor) -> Tensor:
    x = F.linear(F.relu(x).flatten(1), params["hidden.weight"], params["hidden.bias"])
    x = F.layer_norm(x, x.shape[1:], params["layer_norm.weight"], params["layer_norm.bias"])
    return F.linear(F.relu(x), params["output.weight"], params["output.bias"])
