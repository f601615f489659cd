"""Layers of a draft that ``torch.nn`` has not, or not with the channels last."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def same_padding(x: Tensor, kernel_size, stride, dilation) -> Tensor:
    """Pad each axis so that a window begins at every `stride`-th position, as XLA does."""
    pads = []
    for size, k, s, d in zip(x.shape[2:], kernel_size, stride, dilation, strict=True):
        total = max((math.ceil(size / s) - 1) * s + (k - 1) * d + 1 - size, 0)
        pads = [total // 2, total - total // 2, *pads]
    return F.pad(x, pads)


class Conv(nn.Module):
    """A convolution with the channels last, as flax has them."""

    def __init__(
        self,
        in_features,
        out_features,
        kernel_size,
        stride=1,
        padding="SAME",
        dilation=1,
        groups=1,
        bias=True,
    ):
        super().__init__()
        size = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        layer = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[len(size)]
        self.same = padding == "SAME"
        padding = 0 if padding in ("SAME", "VALID") else padding
        stride = stride or 1
        settings = (stride, padding, dilation, groups, bias)
        self.conv = layer(in_features, out_features, size, *settings)

    def forward(self, x: Tensor) -> Tensor:
        x = x.movedim(-1, 1)
        if self.same:
            conv = self.conv
            x = same_padding(x, conv.kernel_size, conv.stride, conv.dilation)
        return self.conv(x).movedim(1, -1)


class ConvTranspose(nn.Module):
    """A transposed convolution with the channels last, as flax has them."""

    def __init__(self, in_features, out_features, kernel_size, stride=1, padding="SAME", bias=True):
        super().__init__()
        layer = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}
        size = (kernel_size,) if isinstance(kernel_size, int) else tuple(kernel_size)
        self.same = padding == "SAME"
        stride = stride or 1
        self.conv = layer[len(size)](in_features, out_features, size, stride, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        conv = self.conv
        y = conv(x.movedim(-1, 1))
        for axis, (size, k, s) in enumerate(
            zip(x.shape[1:-1], conv.kernel_size, conv.stride, strict=True), start=2
        ):
            wanted = size * s if self.same else size * s + max(k - s, 0)
            more = wanted - y.shape[axis]
            before = -((k - s) // 2) if self.same and k > s else 0
            if more > 0:
                y = torch.cat([y, y.new_zeros(1).expand(
                    *y.shape[:axis], more, *y.shape[axis + 1 :])], axis)  # fmt: skip
            y = y.narrow(axis, -before, wanted)
        return y.movedim(1, -1)


class LinearGeneral(nn.Linear):
    """A linear layer whose output has several axes."""

    def __init__(self, in_features, out_features, bias=True):
        self.shape = (out_features,) if isinstance(out_features, int) else tuple(out_features)
        super().__init__(in_features, math.prod(self.shape), bias)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).unflatten(-1, self.shape)


def _windows(x: Tensor, window_shape, strides, padding) -> tuple[Tensor, tuple, tuple]:
    strides = strides or (1,) * len(window_shape)
    x = x.movedim(-1, 1)
    if padding == "SAME":
        x = same_padding(x, window_shape, strides, (1,) * len(window_shape))
    return x, tuple(window_shape), tuple(strides)


def max_pool(x: Tensor, window_shape, strides=None, padding="VALID") -> Tensor:
    """The largest number of each window; the channels are last."""
    pool = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}[len(window_shape)]
    return pool(*_windows(x, window_shape, strides, padding)).movedim(1, -1)


def avg_pool(x: Tensor, window_shape, strides=None, padding="VALID") -> Tensor:
    """The mean of each window; the channels are last."""
    pool = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}[len(window_shape)]
    return pool(*_windows(x, window_shape, strides, padding)).movedim(1, -1)


def make_causal_mask(x: Tensor) -> Tensor:
    """A mask of ones where a position may attend to itself and to those before it."""
    return torch.ones(x.shape[-1], x.shape[-1]).tril().expand(*x.shape[:-1], 1, -1, -1)


class BatchNorm(nn.Module):
    """Batch normalization with the channels last; it averages the biased variance, as flax does."""

    def __init__(self, features, momentum=0.99, eps=1e-5):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("var", torch.ones(features))

    def forward(self, x: Tensor, use_running_average: bool | None = None) -> Tensor:
        if use_running_average is None:
            use_running_average = not self.training
        mean, var = self.mean, self.var
        if not use_running_average:
            axes = tuple(range(x.ndim - 1))
            mean, var = x.mean(axes), x.var(axes, correction=0)
            with torch.no_grad():
                self.mean.lerp_(mean, 1 - self.momentum)
                self.var.lerp_(var, 1 - self.momentum)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias


class GroupNorm(nn.GroupNorm):
    """Group normalization with the channels last."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.movedim(-1, 1)).movedim(1, -1)


class Dropout(nn.Module):
    """Dropout that a flag of the call can switch off."""

    def __init__(self, rate):
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor, deterministic: bool | None = None) -> Tensor:
        training = self.training if deterministic is None else not deterministic
        return F.dropout(x, self.rate, training)


class MultiHeadAttention(nn.Module):
    """Attention with several heads; `mask` is true where a position may be attended to."""

    def __init__(self, num_heads, in_features, qkv_features=None, out_features=None, bias=True):
        super().__init__()
        width = qkv_features or in_features
        self.num_heads = num_heads
        self.query = nn.Linear(in_features, width, bias=bias)
        self.key = nn.Linear(in_features, width, bias=bias)
        self.value = nn.Linear(in_features, width, bias=bias)
        self.out = nn.Linear(width, out_features or in_features, bias=bias)

    def forward(self, q: Tensor, k=None, v=None, *, mask: Tensor | None = None) -> Tensor:
        k = q if k is None else k
        v = k if v is None else v
        q, k, v = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)
            for part in (self.query(q), self.key(k), self.value(v))
        )
        mask = None if mask is None else mask.bool()
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(-3, -2).flatten(-2))


def inference_mode(model: nn.Module, value: bool = True) -> nn.Module:
    """A copy of a model that draws and averages no more."""
    return copy.deepcopy(model).train(not value)
