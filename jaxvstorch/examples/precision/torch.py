"""Dtypes chosen for what is kept, computed and accumulated, in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import BFloat16, Float, Float32, Int32
from torch import Tensor

EPSILON = 1e-5
RATE = 0.1
GROWTH, BACKOFF, INTERVAL = 2.0, 0.5, 2  # an interval of 2,000 steps is usual

Tree = dict[str, Tensor]


def _network(parameters: Tree, x: Tensor) -> Tensor:
    hidden = torch.tanh(torch.addmm(parameters["b1"], x, parameters["w1"]))
    return torch.addmm(parameters["b2"], hidden, parameters["w2"])


def network_loss(
    parameters: dict[str, Float[Tensor, "..."]], x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]
) -> Float[Tensor, ""]:
    """The network computes in the dtype that it is given, the loss in that of its targets."""
    out = _network(parameters, x).to(y.dtype)
    return F.mse_loss(out, y)


def mixed_loss(
    parameters: dict[str, Float[Tensor, "..."]], x: Float[Tensor, "n d"], y: Float[Tensor, "n k"]
) -> Float[Tensor, ""]:
    """The same, with the network in bfloat16."""
    with torch.autocast(x.device.type, dtype=torch.bfloat16):
        return network_loss(parameters, x, y)


def layer_norm_mixed(
    x: Float[Tensor, "n d"], scale: Float[Tensor, " d"], shift: Float[Tensor, " d"]
) -> Float[Tensor, "n d"]:
    """Computed in the dtype of the scale, and returned in that of ``x``."""
    wide = x.to(scale.dtype)
    return F.layer_norm(wide, scale.shape, scale, shift, EPSILON).to(x.dtype)


def dot_accumulated(
    x: Float[Tensor, "n d"], w: Float[Tensor, "d k"], bias: Float[Tensor, " k"]
) -> Float[Tensor, "n k"]:
    """Products of ``x`` and ``w``, accumulated in the dtype of the bias, and returned in it."""
    return torch.addmm(bias, x.to(bias.dtype), w.to(bias.dtype))


def sum_in_order(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """One number after another."""
    total = torch.zeros((), dtype=x.dtype, device=x.device)
    for value in x:
        total = total + value
    return total


# Compiled once and not unrolled: a step reads its state several times, and Inductor's work would
# multiply with each step.
@torch.compiler.nested_compile_region
def _add(total: Tensor, dropped: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    value = value + dropped
    new = total + value
    return new, value - (new - total)


def sum_compensated(x: Float[Tensor, " n"]) -> Float[Tensor, ""]:
    """What an addition drops is added to the next number (Kahan 1965)."""
    total, dropped = (torch.zeros((), dtype=x.dtype, device=x.device) for _ in range(2))
    for value in x:
        total, dropped = _add(total, dropped, value)
    return total


def scaled_gradient(
    w: Float[Tensor, " d"],
    x: Float[Tensor, "n d"],
    y: Float[Tensor, " n"],
    scale: Float[Tensor, ""],
) -> Float[Tensor, " d"]:
    """The gradient of a loss in float16, scaled for the backward pass."""

    def loss(w: Tensor) -> Tensor:
        with torch.autocast(x.device.type, dtype=torch.float16):
            return scale * F.mse_loss((x @ w[:, None]).squeeze(1), y)

    return torch.func.grad(loss)(w) / scale


def guarded_step(
    parameters: dict[str, Float[Tensor, "..."]],
    scaled: dict[str, Float[Tensor, "..."]],
    scale: Float[Tensor, ""],
    good: Int32[Tensor, ""],
) -> tuple[dict[str, Float[Tensor, "..."]], Float[Tensor, ""], Int32[Tensor, ""]]:
    """A step, if the gradient is finite; and the scale and the count for the next one."""
    finite = torch.stack([g.isfinite().all() for g in scaled.values()]).all()
    parameters = {
        name: torch.where(finite, p - RATE * (scaled[name] / scale), p)
        for name, p in parameters.items()
    }
    good = torch.where(finite, good + 1, 0)
    grown = torch.where(good == INTERVAL, scale * GROWTH, scale)
    scale = torch.where(finite, grown, scale * BACKOFF)
    return parameters, scale, good % INTERVAL


def stochastic_round(x: Float32[Tensor, " n"], bits: Int32[Tensor, " n"]) -> BFloat16[Tensor, " n"]:
    """Rounded up as often as the distances say, given 16 random bits for each number."""
    raw = x.view(torch.int32)
    rounded = (raw + bits) & -65536  # bfloat16 is the upper half of float32
    return rounded.view(torch.float32).to(torch.bfloat16)
