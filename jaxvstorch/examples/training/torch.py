"""A small GPT in PyTorch: functions of a tree of weights."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

EPSILON = 1e-5
NO_TARGET = -100

Params = dict[str, dict[str, Float[Tensor, "..."]]]
Block = dict[str, Float[Tensor, "..."]]
Heads = Float[Tensor, "batch time heads d"]
Cache = dict[str, Float[Tensor, "layers batch context heads d"]]


def _attention(q: Tensor, k: Tensor, v: Tensor, seen: Tensor | None = None) -> Tensor:
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))  # heads before tokens
    attended = F.scaled_dot_product_attention(q, k, v, attn_mask=seen, is_causal=seen is None)
    return attended.transpose(1, 2)


def causal_attention(q: Heads, k: Heads, v: Heads) -> Heads:
    """Each token attends to itself and to the tokens before it."""
    return _attention(q, k, v)


def _norm(x: Tensor, scale: Tensor) -> Tensor:
    return F.layer_norm(x, scale.shape, scale, eps=EPSILON)


def _qkv(weights: Block, x: Tensor) -> tuple[Tensor, ...]:
    x = _norm(x, weights["attention_norm"])
    return torch.einsum("btw,wchd->cbthd", x, weights["qkv"]).unbind()


def _add(weights: Block, x: Tensor, attended: Tensor) -> Tensor:
    x = x + torch.einsum("bthd,hdw->btw", attended, weights["out"])
    hidden = F.gelu(_norm(x, weights["mlp_norm"]) @ weights["up"], approximate="tanh")
    return x + hidden @ weights["down"]


def block(
    weights: Block, x: Float[Tensor, "batch time width"]
) -> Float[Tensor, "batch time width"]:
    """Attention and a perceptron, each after a norm and added to its input."""
    return _add(weights, x, causal_attention(*_qkv(weights, x)))


def _blocks(params: Params) -> Iterator[Block]:
    names, stacked = params["blocks"].keys(), params["blocks"].values()
    for weights in zip(*(x.unbind() for x in stacked), strict=True):
        yield dict(zip(names, weights, strict=True))


def logits(
    params: Params, tokens: Int[Tensor, "batch time"]
) -> Float[Tensor, "batch time vocabulary"]:
    """The scores of the next token at each position."""
    embedding = params["embedding"]
    x = F.embedding(tokens, embedding["tokens"]) + embedding["positions"][: tokens.shape[1]]
    for weights in _blocks(params):
        x = block(weights, x)
    return _norm(x, params["final"]["norm"]) @ embedding["tokens"].T


def loss(
    params: Params, tokens: Int[Tensor, "batch time"], targets: Int[Tensor, "batch time"]
) -> Float[Tensor, ""]:
    """The mean cross-entropy over all tokens."""
    return F.cross_entropy(logits(params, tokens).flatten(0, 1), targets.flatten().long())


def summed_loss(
    params: Params, tokens: Int[Tensor, "batch time"], targets: Int[Tensor, "batch time"]
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    """The sum of the losses of the tokens that have a target, and how many have."""
    scores, wanted = logits(params, tokens).flatten(0, 1), targets.flatten().long()
    total = F.cross_entropy(scores, wanted, ignore_index=NO_TARGET, reduction="sum")
    return total, (targets != NO_TARGET).sum()


def train_step(
    params: Params,
    tokens: Int[Tensor, "batch time"],
    targets: Int[Tensor, "batch time"],
    rate: float,
) -> tuple[Params, Float[Tensor, ""]]:
    """One step of gradient descent; the returned parameters are new ones."""
    grads, value = torch.func.grad_and_value(loss)(params, tokens, targets)
    new = {
        name: {key: p - rate * grads[name][key] for key, p in group.items()}
        for name, group in params.items()
    }
    return new, value


def empty_cache(params: Params, batch: int) -> Cache:
    """Space for the keys and values of a whole context."""
    layers, _, _, heads, d = params["blocks"]["qkv"].shape
    positions = params["embedding"]["positions"]
    shape = layers, batch, len(positions), heads, d
    return {"k": positions.new_zeros(shape), "v": positions.new_zeros(shape)}


def decode(
    params: Params, cache: Cache, tokens: Int[Tensor, "batch time"], position: Int[Tensor, ""]
) -> tuple[Float[Tensor, "batch time vocabulary"], Cache]:
    """The scores after more tokens, of which the first is at ``position``; fills the cache."""
    embedding = params["embedding"]
    at = position + torch.arange(tokens.shape[1], device=tokens.device)
    seen = torch.arange(len(embedding["positions"]), device=tokens.device) <= at[:, None]
    x = F.embedding(tokens, embedding["tokens"]) + embedding["positions"][at]
    for weights, keys, values in zip(_blocks(params), cache["k"], cache["v"], strict=True):
        q, k, v = _qkv(weights, x)
        keys.index_copy_(1, at, k)
        values.index_copy_(1, at, v)
        x = _add(weights, x, _attention(q, keys, values, seen))
    return _norm(x, params["final"]["norm"]) @ embedding["tokens"].T, cache


def sample(
    logits: Float[Tensor, "batch vocabulary"],
    noise: Float[Tensor, "batch vocabulary"],
    temperature: float,
    k: int,
) -> Int[Tensor, " batch"]:
    """One of the ``k`` likeliest tokens, by Gumbel noise."""
    smallest = logits.topk(k).values[:, -1:]
    kept = logits.masked_fill(logits < smallest, -torch.inf)
    return (kept / temperature + noise).argmax(dim=-1)


def generate(
    params: Params,
    prompt: Int[Tensor, "batch time"],
    noise: Float[Tensor, "new batch vocabulary"],
    temperature: float,
    k: int,
) -> Int[Tensor, "batch new"]:
    """A token for each row of noise: the prompt in one call of ``decode``, then one by one."""
    cache = empty_cache(params, len(prompt))
    position = torch.zeros((), dtype=torch.int64, device=prompt.device)
    scores, cache = decode(params, cache, prompt, position)
    position += prompt.shape[1]
    chosen = []
    for row in noise:
        chosen.append(sample(scores[:, -1], row, temperature, k))
        scores, cache = decode(params, cache, chosen[-1][:, None], position)
        position += 1
    return torch.stack(chosen, dim=1)
