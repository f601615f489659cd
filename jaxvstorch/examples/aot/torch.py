"""Functions to compile ahead, in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

Params = dict[str, Float[Tensor, "..."]]


def predict(params: Params, x: Float[Tensor, "batch in"]) -> Float[Tensor, "batch out"]:
    """Apply two layers with a hyperbolic tangent between them."""
    hidden = torch.tanh(x @ params["hidden"] + params["bias"])
    return hidden @ params["output"]


def normalize(x: Float[Tensor, "batch features"]) -> Float[Tensor, "batch features"]:
    """Give each row the mean 0 and the variance 1."""
    return F.layer_norm(x, x.shape[1:], eps=1e-5)


def classify(
    scores: Float[Tensor, "batch classes"],
) -> tuple[Int[Tensor, " batch"], Float[Tensor, " batch"]]:
    """Take the likeliest class of each row, and its probability."""
    probability, label = scores.softmax(dim=1).max(dim=1)
    return label, probability


def embed(
    table: Float[Tensor, "vocabulary features"], tokens: Int[Tensor, " length"]
) -> Float[Tensor, "length features"]:
    """Look up the row of each token."""
    return F.embedding(tokens, table)


def filter_fir(signal: Float[Tensor, " n"], taps: Float[Tensor, " taps"]) -> Float[Tensor, " kept"]:
    """Filter a signal, where it has a number for every tap."""
    return F.conv1d(signal[None, None], taps.flip(0)[None, None])[0, 0]


def kalman_step(
    mean: Float[Tensor, "batch 2"],
    covariance: Float[Tensor, "batch 2 2"],
    observed: Float[Tensor, " batch"],
) -> tuple[Float[Tensor, "batch 2"], Float[Tensor, "batch 2 2"]]:
    """Move positions by their speeds, and correct them by the observed positions."""
    move = mean.new_tensor([[1, 1], [0, 1]])
    mean = mean @ move.T
    noise = 0.1 * torch.eye(2, dtype=mean.dtype, device=mean.device)
    covariance = move @ covariance @ move.T + noise
    gain = covariance[:, :, 0] / (covariance[:, 0, 0] + 1)[:, None]
    corrected = mean + gain * (observed - mean[:, 0])[:, None]
    return corrected, covariance - gain[:, :, None] * covariance[:, None, 0]


def pool_pairs(x: Float[Tensor, "batch features"]) -> Float[Tensor, "half features"]:
    """Keep the larger number of each pair of neighboring rows; the number of rows is even."""
    return x.reshape(-1, 2, x.shape[1]).amax(dim=1)


def similarity(
    queries: Float[Tensor, "m features"], keys: Float[Tensor, "n features"]
) -> Float[Tensor, "m n"]:
    """Compare each query with each key, by the cosine of their angle."""
    return F.normalize(queries) @ F.normalize(keys).T


def recent_mean(x: Float[Tensor, " n"], count: int) -> Float[Tensor, ""]:
    """Average the last ``count`` numbers."""
    return x[-count:].mean()


def amplify(x: Float[Tensor, " n"], gain: float) -> Float[Tensor, " n"]:
    """Multiply by a Python number, and limit softly to one."""
    return torch.tanh(gain * x)
