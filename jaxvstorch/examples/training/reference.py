"""The answers of the examples on training, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Block = dict[str, Array]
Params = dict[str, Block]

EPSILON = 1e-5
NO_TARGET = -100
TINY = 1e-100


def _attention(q: Array, k: Array, v: Array, seen: Array) -> Array:
    scores = np.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
    weights = np.exp(np.where(seen, scores, -np.inf))
    return np.asarray(np.einsum("bhts,bshd->bthd", weights / weights.sum(-1, keepdims=True), v))


def causal_attention(q: Array, k: Array, v: Array) -> Array:
    """Each query with the keys up to its own place."""
    return _attention(q, k, v, np.tri(q.shape[1], dtype=bool))


def _norm(x: Array, scale: Array) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON) * scale)


def _qkv(weights: Block, x: Array) -> Array:
    x = _norm(x, weights["attention_norm"])
    return np.asarray(np.einsum("btw,wchd->cbthd", x, weights["qkv"]))


def _add(weights: Block, x: Array, attended: Array) -> Array:
    x = x + np.einsum("bthd,hdw->btw", attended, weights["out"])
    h = _norm(x, weights["mlp_norm"]) @ weights["up"]
    h = h * (1 + np.tanh((2 / np.pi) ** 0.5 * (h + 0.044715 * h**3))) / 2
    return np.asarray(x + h @ weights["down"])


def block(weights: Block, x: Array) -> Array:
    """Attention and a perceptron, each after a norm and added to its input."""
    return _add(weights, x, causal_attention(*_qkv(weights, x)))


def logits(params: Params, tokens: Array) -> Array:
    """The scores of the next token at each position."""
    embedding, blocks = params["embedding"], params["blocks"]
    x = embedding["tokens"][tokens] + embedding["positions"][: tokens.shape[1]]
    for i in range(len(blocks["qkv"])):
        x = block({name: stacked[i] for name, stacked in blocks.items()}, x)
    return np.asarray(_norm(x, params["final"]["norm"]) @ embedding["tokens"].T)


def summed_loss(params: Params, tokens: Array, targets: Array) -> tuple[Array, Array]:
    """The sum of the cross-entropies of the tokens that have a target, and how many have."""
    scores, has_target = logits(params, tokens), targets != NO_TARGET
    of_target = np.take_along_axis(scores, (targets * has_target)[..., None], axis=-1)[..., 0]
    losses = np.log(np.exp(scores).sum(axis=-1)) - of_target
    return losses[has_target].sum(), np.asarray(has_target.sum())


def loss(params: Params, tokens: Array, targets: Array) -> Array:
    """Their mean."""
    total, count = summed_loss(params, tokens, targets)
    return np.asarray(total / count)


def _slope(params: Params, place: tuple[str, str, int], *batch: Array) -> float:
    """The derivative in one number, by a complex step, which loses no digits.

    Squire and Trapp, "Using complex variables to estimate derivatives of real functions", 1998.
    """
    name, key, i = place
    moved = params[name][key].astype(complex)
    moved.flat[i] += 1j * TINY
    changed = {**params, name: {**params[name], key: moved}}
    return float(loss(changed, *batch).imag / TINY)


def train_step(params: Params, tokens: Array, targets: Array, rate: float) -> tuple[Params, Array]:
    """Each number moved against the slope of the loss in it."""
    new: Params = {name: {} for name in params}
    for name, group in params.items():
        for key, p in group.items():
            places = ((name, key, i) for i in range(p.size))
            slopes = [_slope(params, place, tokens, targets) for place in places]
            new[name][key] = p - rate * np.reshape(slopes, p.shape)
    return new, loss(params, tokens, targets)


def empty_cache(params: Params, batch: int) -> dict[str, Array]:
    """Zeros: layers, rows, positions, heads, numbers."""
    layers, _, _, heads, d = params["blocks"]["qkv"].shape
    shape = layers, batch, len(params["embedding"]["positions"]), heads, d
    return {"k": np.zeros(shape), "v": np.zeros(shape)}


def decode(
    params: Params, cache: dict[str, Array], tokens: Array, position: Array
) -> tuple[Array, dict[str, Array]]:
    """The scores after more tokens, and the cache with their keys and values."""
    embedding, blocks = params["embedding"], params["blocks"]
    cache = {name: part.copy() for name, part in cache.items()}
    at = position + np.arange(tokens.shape[1])
    x = embedding["tokens"][tokens] + embedding["positions"][at]
    for i in range(len(blocks["qkv"])):
        weights = {name: stacked[i] for name, stacked in blocks.items()}
        q, cache["k"][i][:, at], cache["v"][i][:, at] = _qkv(weights, x)
        seen = np.arange(cache["k"].shape[2]) <= at[:, None]
        x = _add(weights, x, _attention(q, cache["k"][i], cache["v"][i], seen))
    return _norm(x, params["final"]["norm"]) @ embedding["tokens"].T, cache


def sample(logits: Array, noise: Array, temperature: float, k: int) -> Array:
    """The largest sum of score and noise among the ``k`` largest scores."""
    smallest = np.sort(logits, axis=-1)[:, -k, None]
    kept = np.where(logits < smallest, -np.inf, logits)
    return np.asarray((kept / temperature + noise).argmax(axis=-1))


def generate(params: Params, prompt: Array, noise: Array, temperature: float, k: int) -> Array:
    """Token by token, and each time the whole text again: no cache."""
    text = prompt
    for row in noise:
        chosen = sample(logits(params, text)[:, -1], row, temperature, k)
        text = np.concatenate([text, chosen[:, None].astype(text.dtype)], axis=1)
    return text[:, prompt.shape[1] :]
