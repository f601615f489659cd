"""Losses."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxvstorch._port.map.paste.reductions import vector_norm


def reduced(loss: Array, reduction: str) -> Array:
    """The mean or the sum of a loss, or the loss as it is."""
    if reduction == "none":
        return loss
    return jnp.mean(loss) if reduction == "mean" else jnp.sum(loss)


def binary_cross_entropy_with_logits(
    input: Array,
    target: Array,
    weight: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Array:
    """The binary cross-entropy of scores."""
    positive = 1 if pos_weight is None else pos_weight
    loss = -positive * target * jax.nn.log_sigmoid(input)
    loss -= (1 - target) * jax.nn.log_sigmoid(-input)
    return reduced(loss if weight is None else loss * weight, reduction)


def nll_loss(
    input: Array,
    target: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Array:
    """The negative log-likelihood of classes, from log-probabilities (batch, classes, ...)."""
    axis = 1 if input.ndim > 1 else 0
    seen = target != ignore_index
    classes = jnp.where(seen, target, 0)
    weights = jnp.ones(input.shape[axis], input.dtype) if weight is None else weight
    weights = jnp.where(seen, weights[classes], 0)
    picked = jnp.take_along_axis(input, jnp.expand_dims(classes, axis), axis=axis)
    # An ignored row counts for nothing, also where it is NaN.
    loss = jnp.where(seen, -jnp.squeeze(picked, axis) * weights, 0)
    return loss.sum() / weights.sum() if reduction == "mean" else reduced(loss, reduction)


def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """The cross-entropy of scores (batch, classes, ...), with classes or probabilities."""
    axis = 1 if input.ndim > 1 else 0
    logp = jax.nn.log_softmax(input, axis=axis)
    classes = input.shape[axis]
    weights = jnp.ones(classes, input.dtype) if weight is None else weight
    of_class = jnp.expand_dims(weights, range(1, input.ndim - axis))
    if target.shape == input.shape and jnp.issubdtype(target.dtype, jnp.floating):
        target = target * (1 - label_smoothing) + label_smoothing / classes
        loss = -(target * logp * of_class).sum(axis)
        return loss.sum() / (loss.size) if reduction == "mean" else reduced(loss, reduction)
    loss = nll_loss(logp, target, weight, ignore_index, "none")
    if label_smoothing:  # of a class masked by -inf, the term is infinite
        smooth = jnp.where(target == ignore_index, 0, -(logp * of_class).sum(axis) / classes)
        loss = (1 - label_smoothing) * loss + label_smoothing * smooth
    if reduction != "mean":
        return reduced(loss, reduction)
    counted = jnp.where(target == ignore_index, 0, weights[target * (target != ignore_index)])
    return loss.sum() / counted.sum()


def cosine_embedding_loss(
    input1: Array, input2: Array, target: Array, margin: float, reduction: str
) -> Array:
    """One minus the cosine where two should be alike; elsewhere its excess over a margin."""
    tiny = 1e-12
    squares = ((input1**2).sum(-1) + tiny) * ((input2**2).sum(-1) + tiny)
    cosine = (input1 * input2).sum(-1) / jnp.sqrt(squares)
    return reduced(jnp.where(target == 1, 1 - cosine, jnp.maximum(0, cosine - margin)), reduction)


def kl_div(input: Array, target: Array, reduction: str, log_target: bool) -> Array:
    """The divergence of ``target`` from ``input``, which holds log-probabilities."""
    if log_target:
        loss = jnp.exp(target) * (target - input)
    else:
        loss = jax.scipy.special.xlogy(target, target) - target * input
    return loss.sum() / input.shape[0] if reduction == "batchmean" else reduced(loss, reduction)


def poisson_nll_loss(
    input: Array, target: Array, log_input: bool, full: bool, eps: float, reduction: str
) -> Array:
    """The negative log-likelihood of counts."""
    expected = jnp.exp(input) if log_input else input
    loss = expected - target * (input if log_input else jnp.log(input + eps))
    if full:
        n = jnp.where(target > 1, target, 2)
        stirling = n * jnp.log(n) - n + 0.5 * jnp.log(2 * jnp.pi * n)
        loss += jnp.where(target > 1, stirling, 0).astype(loss.dtype)
    return reduced(loss, reduction)


def smooth_l1_loss(input: Array, target: Array, reduction: str, beta: float) -> Array:
    """Half the square of small errors over ``beta``; the size of large ones less ``beta / 2``."""
    error = jnp.abs(input - target)
    if beta == 0:  # the gradient of an error of 0 or NaN is 0, where that of `jnp.abs` is 1 or -1
        return reduced(jnp.where(error > 0, error, jax.lax.stop_gradient(error)), reduction)
    large = error >= beta  # the square of an infinite error would make its gradient NaN
    small = jnp.where(large, 0, error)
    square = small / beta * small / 2  # in this order, as a square may be too large for float16
    return reduced(jnp.where(large, error - beta / 2, square), reduction)


def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
    reduction: str,
) -> Array:
    """How much nearer than a margin the negative is than the positive."""

    def distance(a: Array, b: Array) -> Array:
        return vector_norm(a - b + eps, p, -1, False, None)

    far = distance(anchor, negative)
    if swap:
        far = jnp.minimum(far, distance(positive, negative))
    loss = margin + distance(anchor, positive) - far
    return reduced(jnp.where(loss < 0, 0, loss), reduction)  # of 0, the gradient is 1, not half
