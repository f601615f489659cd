"""A small GPT in JAX: functions of a tree of weights."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int

EPSILON = 1e-5
NO_TARGET = -100

Params = dict[str, dict[str, Float[Array, "..."]]]
Block = dict[str, Float[Array, "..."]]
Heads = Float[Array, "batch time heads d"]
Cache = dict[str, Float[Array, "layers batch context heads d"]]


def _attention(q: Array, k: Array, v: Array, seen: Array) -> Array:
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
    weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf))
    return jnp.einsum("bhts,bshd->bthd", weights, v)


def causal_attention(q: Heads, k: Heads, v: Heads) -> Heads:
    """Each token attends to itself and to the tokens before it."""
    return _attention(q, k, v, jnp.tri(q.shape[1], dtype=bool))


def _norm(x: Array, scale: Array) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    return x * lax.rsqrt(jnp.square(x).mean(axis=-1, keepdims=True) + EPSILON) * scale


def _qkv(weights: Block, x: Array) -> Array:
    x = _norm(x, weights["attention_norm"])
    return jnp.einsum("btw,wchd->cbthd", x, weights["qkv"])


def _add(weights: Block, x: Array, attended: Array) -> Array:
    x = x + jnp.einsum("bthd,hdw->btw", attended, weights["out"])
    hidden = jax.nn.gelu(_norm(x, weights["mlp_norm"]) @ weights["up"])
    return x + hidden @ weights["down"]


def block(weights: Block, x: Float[Array, "batch time width"]) -> Float[Array, "batch time width"]:
    """Attention and a perceptron, each after a norm and added to its input."""
    return _add(weights, x, causal_attention(*_qkv(weights, x)))


def logits(
    params: Params, tokens: Int[Array, "batch time"]
) -> Float[Array, "batch time vocabulary"]:
    """The scores of the next token at each position."""
    embedding = params["embedding"]
    x = embedding["tokens"][tokens] + embedding["positions"][: tokens.shape[1]]
    x, _ = lax.scan(lambda x, weights: (block(weights, x), None), x, params["blocks"])
    return _norm(x, params["final"]["norm"]) @ embedding["tokens"].T


def _token_losses(params: Params, tokens: Array, targets: Array) -> Array:
    log_probabilities = jax.nn.log_softmax(logits(params, tokens))
    return -jnp.take_along_axis(log_probabilities, targets[..., None], axis=-1)[..., 0]


def loss(
    params: Params, tokens: Int[Array, "batch time"], targets: Int[Array, "batch time"]
) -> Float[Array, ""]:
    """The mean cross-entropy over all tokens."""
    return _token_losses(params, tokens, targets).mean()


def summed_loss(
    params: Params, tokens: Int[Array, "batch time"], targets: Int[Array, "batch time"]
) -> tuple[Float[Array, ""], Int[Array, ""]]:
    """The sum of the losses of the tokens that have a target, and how many have."""
    has_target = targets != NO_TARGET
    losses = _token_losses(params, tokens, jnp.where(has_target, targets, 0))
    return jnp.where(has_target, losses, 0).sum(), has_target.sum()


def train_step(
    params: Params,
    tokens: Int[Array, "batch time"],
    targets: Int[Array, "batch time"],
    rate: float,
) -> tuple[Params, Float[Array, ""]]:
    """One step of gradient descent; jit it with the parameters donated."""
    value, grads = jax.value_and_grad(loss)(params, tokens, targets)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads), value


def empty_cache(params: Params, batch: int) -> Cache:
    """Space for the keys and values of a whole context."""
    layers, _, _, heads, d = params["blocks"]["qkv"].shape
    positions = params["embedding"]["positions"]
    shape = layers, batch, len(positions), heads, d
    return {"k": jnp.zeros(shape, positions.dtype), "v": jnp.zeros(shape, positions.dtype)}


def decode(
    params: Params, cache: Cache, tokens: Int[Array, "batch time"], position: Int[Array, ""]
) -> tuple[Float[Array, "batch time vocabulary"], Cache]:
    """The scores after more tokens, of which the first is at ``position``; donate the cache."""
    embedding = params["embedding"]
    zero = jnp.zeros_like(position)
    at = position + jnp.arange(tokens.shape[1], dtype=position.dtype)
    seen = jnp.arange(len(embedding["positions"]), dtype=at.dtype) <= at[:, None]

    def step(carry: tuple[Array, Cache], layer: tuple[Array, Block]) -> tuple[Any, None]:
        (x, cache), (i, weights) = carry, layer
        q, *new = _qkv(weights, x)
        cache = {
            name: lax.dynamic_update_slice(cache[name], part[None], (i, zero, position, zero, zero))
            for name, part in zip("kv", new, strict=True)
        }
        attended = _attention(q, cache["k"][i], cache["v"][i], seen)
        return (_add(weights, x, attended), cache), None

    x = embedding["tokens"][tokens] + embedding["positions"][at]
    layers = jnp.arange(len(cache["k"]), dtype=position.dtype), params["blocks"]
    (x, cache), _ = lax.scan(step, (x, cache), layers)
    return _norm(x, params["final"]["norm"]) @ embedding["tokens"].T, cache


def sample(
    logits: Float[Array, "batch vocabulary"],
    noise: Float[Array, "batch vocabulary"],
    temperature: float,
    k: int,
) -> Int[Array, " batch"]:
    """One of the ``k`` likeliest tokens, by Gumbel noise."""
    smallest = lax.top_k(logits, k)[0][:, -1:]
    kept = jnp.where(logits < smallest, -jnp.inf, logits)
    return (kept / temperature + noise).argmax(axis=-1)


def generate(
    params: Params,
    prompt: Int[Array, "batch time"],
    noise: Float[Array, "new batch vocabulary"],
    temperature: float,
    k: int,
) -> Int[Array, "batch new"]:
    """A token for each row of noise: the prompt in one call of ``decode``, then one by one."""
    cache = empty_cache(params, len(prompt))
    start = jnp.zeros((), prompt.dtype)
    scores, cache = decode(params, cache, prompt, start)

    def step(carry: tuple[Array, Cache, Array], noise: Array) -> tuple[Any, Array]:
        scores, cache, position = carry
        token = sample(scores, noise, temperature, k).astype(prompt.dtype)
        scores, cache = decode(params, cache, token[:, None], position)
        return (scores[:, -1], cache, position + 1), token

    carry = scores[:, -1], cache, start + prompt.shape[1]
    return lax.scan(step, carry, noise)[1].T
