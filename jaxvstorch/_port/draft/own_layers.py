"""Layers that flax has otherwise than PyTorch, or not at all; a draft gets the source of each."""

import math

import jax
import jax.numpy as jnp
from flax import nnx

from jaxvstorch._port.map import paste


class Buffer(nnx.Variable):
    """An array of a module that no optimizer changes."""


class Conv(nnx.Conv):
    """A convolution whose channels come before the axes that it goes over, as in PyTorch."""

    def __call__(self, x):
        channels = -1 - len(self.kernel_size)
        return jnp.moveaxis(super().__call__(jnp.moveaxis(x, channels, -1)), -1, channels)


class BatchNorm(nnx.BatchNorm):
    """Batch norm over all axes but 1; its running variance is that of n - 1, as in PyTorch."""

    def __call__(self, x):
        before = None if self.var is None else self.var[...]
        y = jnp.moveaxis(super().__call__(jnp.moveaxis(x, 1, -1)), -1, 1)
        if before is not None and not self.use_running_average:
            n, kept = x.size // x.shape[1], self.momentum * before
            self.var[...] = kept + (self.var - kept) * n / (n - 1)
        return y


class GroupNorm(nnx.GroupNorm):
    """Group norm whose channels are axis 1, as in PyTorch."""

    def __call__(self, x):
        return jnp.moveaxis(super().__call__(jnp.moveaxis(x, 1, -1)), -1, 1)


class PaddedEmbed(nnx.Embed):
    """An embedding whose row ``padding_idx`` begins as zeros and gets no gradient."""

    def __init__(self, num_embeddings, features, *, padding_idx, rngs, **options):
        super().__init__(num_embeddings, features, rngs=rngs, **options)
        self.padding_idx = padding_idx
        if padding_idx is not None:
            self.embedding[...] = self.embedding.at[padding_idx].set(0)

    def __call__(self, inputs):
        padding, y = self.padding_idx, super().__call__(inputs)
        padded = False if padding is None else (inputs == padding % self.num_embeddings)[..., None]
        return jnp.where(padded, jax.lax.stop_gradient(y), y)


class LayerNormOverAxes(nnx.Module):
    """Layer norm over several axes, the last ones; flax's has weights for one."""

    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, *, rngs):
        self.shape, self.eps = tuple(normalized_shape), eps
        self.weight = nnx.Param(jnp.ones(self.shape)) if elementwise_affine else None
        self.bias = nnx.Param(jnp.zeros(self.shape)) if elementwise_affine and bias else None

    def __call__(self, x):
        return paste.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


class TiedLinear(nnx.Module):
    """``head.weight = embed.weight``: a linear layer whose weight is that of an embedding."""

    def __init__(self, embed, bias=None):
        self.embed, self.bias = embed, bias

    @property
    def kernel(self):
        return self.embed.embedding.T

    def __call__(self, x):
        y = x @ self.kernel
        return y if self.bias is None else y + self.bias


class PReLU(nnx.Module):
    def __init__(self, num_parameters=1, init=0.25, *, rngs=None):
        self.weight = nnx.Param(jnp.full(num_parameters, init))

    def __call__(self, x):
        return paste.prelu(x, self.weight)


def uniform(rngs, bound, *shape):
    """A weight drawn as PyTorch draws most: evenly between -bound and bound."""
    return nnx.Param(jax.random.uniform(rngs.params(), shape, minval=-bound, maxval=bound))


class Bilinear(nnx.Module):
    def __init__(self, in1_features, in2_features, out_features, bias=True, *, rngs):
        bound = 1 / math.sqrt(in1_features)
        self.weight = uniform(rngs, bound, out_features, in1_features, in2_features)
        self.bias = uniform(rngs, bound, out_features) if bias else None

    def __call__(self, x, y):
        out = jnp.einsum("...i,oij,...j->...o", x, self.weight[...], y)
        return out if self.bias is None else out + self.bias


class ConvTranspose(nnx.Module):
    """A transposed convolution; its kernel is (in, out, ...), as in PyTorch."""

    def __init__(
        self, axes, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
        groups=1, bias=True, dilation=1, *, rngs,
    ):  # fmt: skip
        size = (kernel_size,) * axes if isinstance(kernel_size, int) else tuple(kernel_size)
        bound = 1 / math.sqrt(out_channels // groups * math.prod(size))
        self.weight = uniform(rngs, bound, in_channels, out_channels // groups, *size)
        self.bias = uniform(rngs, bound, out_channels) if bias else None
        self.settings = stride, padding, output_padding, groups, dilation, axes

    def __call__(self, x):
        bias = None if self.bias is None else self.bias[...]
        return paste.conv_transpose(x, self.weight[...], bias, *self.settings)


class ConvTranspose1d(ConvTranspose):
    def __init__(self, *args, rngs, **settings):
        super().__init__(1, *args, rngs=rngs, **settings)


class ConvTranspose2d(ConvTranspose):
    def __init__(self, *args, rngs, **settings):
        super().__init__(2, *args, rngs=rngs, **settings)


class ConvTranspose3d(ConvTranspose):
    def __init__(self, *args, rngs, **settings):
        super().__init__(3, *args, rngs=rngs, **settings)


class MultiheadAttention(nnx.Module):
    """Attention with one kernel for query, key and value; a mask is True where it hides."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, batch_first=False, *, rngs):
        bound = math.sqrt(6 / (4 * embed_dim))
        self.num_heads, self.batch_first = num_heads, batch_first
        self.in_proj_weight = uniform(rngs, bound, 3 * embed_dim, embed_dim)
        self.in_proj_bias = nnx.Param(jnp.zeros(3 * embed_dim)) if bias else None
        self.out_proj = nnx.Linear(embed_dim, embed_dim, use_bias=bias, rngs=rngs)
        self.dropout = nnx.Dropout(dropout, rngs=rngs)

    def __call__(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
        average_attn_weights=True, is_causal=False,
    ):  # fmt: skip
        inputs = (query, key, value)
        if not self.batch_first and query.ndim == 3:
            inputs = [jnp.swapaxes(x, 0, 1) for x in inputs]
        biases = [0] * 3 if self.in_proj_bias is None else jnp.split(self.in_proj_bias[...], 3)
        kernels = jnp.split(self.in_proj_weight[...], 3)
        q, k, v = (self.heads(x @ w.T + b) for x, w, b in zip(inputs, kernels, biases, strict=True))
        scores = q @ jnp.swapaxes(k, -2, -1) / math.sqrt(q.shape[-1])
        if key_padding_mask is not None:
            scores += additive(key_padding_mask, scores.dtype)[..., None, None, :]
        if attn_mask is not None:
            mask = additive(attn_mask, scores.dtype)
            whole = mask.ndim == 3 and scores.ndim == 4  # one mask for each example and head
            scores += mask.reshape(scores.shape) if whole else mask
        weights = self.dropout(jax.nn.softmax(scores, axis=-1))
        y = jnp.swapaxes(weights @ v, -3, -2)
        y = self.out_proj(y.reshape(*y.shape[:-2], -1))
        if not self.batch_first and query.ndim == 3:
            y = jnp.swapaxes(y, 0, 1)
        if not need_weights:
            return y, None
        return y, weights.mean(axis=-3) if average_attn_weights else weights

    def heads(self, x):
        return jnp.swapaxes(x.reshape(*x.shape[:-1], self.num_heads, -1), -3, -2)


def additive(mask, dtype):
    """A mask as numbers to add: minus infinity where it hides."""
    return jnp.where(mask, -jnp.inf, 0).astype(dtype) if mask.dtype == bool else mask


class TransformerEncoderLayer(nnx.Module):
    def __init__(
        self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu",
        layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, *, rngs,
    ):  # fmt: skip
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, rngs=rngs
        )
        self.linear1 = nnx.Linear(d_model, dim_feedforward, use_bias=bias, rngs=rngs)
        self.dropout = nnx.Dropout(dropout, rngs=rngs)
        self.linear2 = nnx.Linear(dim_feedforward, d_model, use_bias=bias, rngs=rngs)
        self.norm1 = nnx.LayerNorm(d_model, epsilon=layer_norm_eps, use_bias=bias, rngs=rngs)
        self.norm2 = nnx.LayerNorm(d_model, epsilon=layer_norm_eps, use_bias=bias, rngs=rngs)
        self.dropout1 = nnx.Dropout(dropout, rngs=rngs)
        self.dropout2 = nnx.Dropout(dropout, rngs=rngs)
        named = {"relu": jax.nn.relu, "gelu": exact_gelu}
        self.activation = named[activation] if isinstance(activation, str) else activation
        self.norm_first = norm_first

    def __call__(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        x, masks = src, (src_mask, src_key_padding_mask)
        if self.norm_first:
            x = x + self.attend(self.norm1(x), *masks)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x, *masks))
        return self.norm2(x + self.feed_forward(x))

    def attend(self, x, mask, padding):
        y, _ = self.self_attn(x, x, x, padding, need_weights=False, attn_mask=mask)
        return self.dropout1(y)

    def feed_forward(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def exact_gelu(x):
    return jax.nn.gelu(x, approximate=False)


class TransformerEncoder(nnx.Module):
    """Equal layers, one after the other; ``layer`` is the first, and each has its own weights."""

    def __init__(self, encoder_layer, num_layers, norm=None, *, rngs=None, **_):
        self.layers = nnx.List([nnx.clone(encoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def __call__(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
