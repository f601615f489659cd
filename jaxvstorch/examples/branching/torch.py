"""Conditionals in PyTorch."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

_ACTIVATIONS = (torch.tanh, torch.sigmoid, F.silu)


def select_if(predicate: Bool[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Choose with Python's if: it needs the value, so torch.compile breaks the graph."""
    if predicate:
        return torch.sin(x)
    return x * x


def _square(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    return x * x


def select_cond(predicate: Bool[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Choose while the program runs; only the branch taken is computed."""
    return torch.cond(predicate, torch.sin, _square, (x,))


def select_where(predicate: Bool[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Compute both branches, then choose element by element."""
    return torch.where(predicate, torch.sin(x), x * x)


def select_elements(mask: Bool[Tensor, " n"], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Choose each element by its own predicate; ``torch.where`` broadcasts and promotes."""
    return torch.where(mask, torch.sin(x), x * x)


def activate_list(kind: Int[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Take a function from a Python tuple: it needs the number, so the graph breaks."""
    return _ACTIVATIONS[kind](x)


def activate_switch(kind: Int[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Compute one of several branches; a number out of range selects the nearest."""
    first, second, third = _ACTIVATIONS

    def second_or_third(x: Tensor) -> Tensor:
        return torch.cond(kind == 1, second, third, (x,))

    return torch.cond(kind <= 0, first, second_or_third, (x,))


def activate_select(kind: Int[Tensor, ""], x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Compute every branch, then choose; a number out of range selects the nearest."""
    first, second, third = (activation(x) for activation in _ACTIVATIONS)
    return torch.where(kind <= 0, first, torch.where(kind == 1, second, third))


def _matmuls(x: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    y = x
    for _ in range(8):
        y = torch.tanh(y @ x)
    return y


def _double(x: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    return 2 * x


def expensive_cond(predicate: Bool[Tensor, ""], x: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    """Compute a chain of matrix products only if the predicate holds."""
    return torch.cond(predicate, _matmuls, _double, (x,))


def expensive_where(predicate: Bool[Tensor, ""], x: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
    """Compute a chain of matrix products, then keep it if the predicate holds."""
    return torch.where(predicate, _matmuls(x), 2 * x)


def expensive_cond_batch(
    predicate: Bool[Tensor, " batch"], x: Float[Tensor, "batch n n"]
) -> Float[Tensor, "batch n n"]:
    """``expensive_cond`` for a batch: both branches are computed for every matrix."""
    return torch.vmap(expensive_cond)(predicate, x)


def expensive_where_batch(
    predicate: Bool[Tensor, " batch"], x: Float[Tensor, "batch n n"]
) -> Float[Tensor, "batch n n"]:
    """``expensive_where`` for a batch."""
    return torch.vmap(expensive_where)(predicate, x)


def sqrt_unsafe(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Square root, zero where ``x`` is not positive: right, but its gradient there is NaN."""
    return torch.where(x > 0, torch.sqrt(x), 0.0)


def sqrt_safe(x: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Square root, zero where ``x`` is not positive; its gradient there is zero."""
    positive = torch.where(x > 0, x, 1.0)  # the root never gets a number where it has no slope
    return torch.where(x > 0, torch.sqrt(positive), 0.0)


def next_token(
    logits: Float[Tensor, "batch vocabulary"], finished: Bool[Tensor, " batch"], end_token: int
) -> tuple[Int[Tensor, " batch"], Bool[Tensor, " batch"]]:
    """Take each sequence's likeliest token, or the end token again if it has finished."""
    token = torch.where(finished, end_token, logits.argmax(dim=-1))
    return token, finished | (token == end_token)


def mask_after_end(
    tokens: Int[Tensor, "batch length"], end_token: int
) -> Bool[Tensor, "batch length"]:
    """Keep each sequence up to and including its first end token."""
    is_end = tokens == end_token
    ends = torch.cumsum(is_end, dim=-1)
    return (ends == 0) | (is_end & (ends == 1))


def attention_mask(
    tokens: Int[Tensor, "batch length"], end_token: int
) -> Bool[Tensor, "batch length length"]:
    """Let each position look at itself and at earlier ones, never past the end token."""
    length = tokens.shape[-1]
    causal = torch.ones((length, length), dtype=torch.bool, device=tokens.device).tril()
    return causal & mask_after_end(tokens, end_token)[:, None, :]
