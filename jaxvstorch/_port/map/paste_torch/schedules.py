"""Rates by step, for ``torch.optim.lr_scheduler.LambdaLR`` and an optimizer whose rate is 1."""

import math

__all__ = ["exponential_decay", "polynomial", "warmup_cosine"]


def exponential_decay(
    step: int,
    init_value: float,
    transition_steps: int,
    decay_rate: float,
    transition_begin: int = 0,
    staircase: bool = False,
    end_value: float | None = None,
) -> float:
    """``optax.exponential_decay``."""
    if transition_steps <= 0 or decay_rate == 0:
        return init_value
    periods = max(step - max(transition_begin, 0), 0) / transition_steps
    periods = math.floor(periods) if staircase else periods
    rate = init_value * math.pow(decay_rate, periods)
    if end_value is None:
        return rate
    return max(rate, end_value) if decay_rate < 1 else min(rate, end_value)


def polynomial(
    step: int,
    init_value: float,
    end_value: float,
    power: float,
    transition_steps: int,
    transition_begin: int = 0,
) -> float:
    """``optax.polynomial_schedule``; of no steps, a schedule stays where it begins."""
    if transition_steps <= 0:
        return init_value
    part = min(max(step - max(transition_begin, 0), 0) / transition_steps, 1)
    rate: float = (init_value - end_value) * (1 - part) ** power + end_value
    return rate


def warmup_cosine(
    step: int,
    init_value: float,
    peak_value: float,
    warmup_steps: int,
    decay_steps: int,
    end_value: float = 0.0,
    exponent: float = 1.0,
) -> float:
    """``optax.warmup_cosine_decay_schedule``: ``decay_steps`` counts those of the warmup too."""
    if step < warmup_steps:
        return init_value + (peak_value - init_value) * step / warmup_steps
    part = min((step - warmup_steps) / (decay_steps - warmup_steps), 1)
    cosine = (0.5 + 0.5 * math.cos(math.pi * part)) ** exponent
    rate: float = end_value + (peak_value - end_value) * cosine
    return rate
