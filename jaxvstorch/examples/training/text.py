"""The text that the GPT learns: sums of two digits, one to a line."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxvstorch.examples.training.config import Config

Array = np.ndarray[Any, Any]

CHARACTERS = "\n+0123456789="
LINE = len("7+8=15\n")
# A line has two digits that nobody can know, so no model has a smaller mean loss than this.
FLOOR = 2 * np.log(10) / LINE

CONFIG = Config(layers=2, heads=4, width=32, context=2 * LINE, vocabulary=len(CHARACTERS))
STEPS, BATCH, RATE, WEIGHT_DECAY = 300, 32, 3e-3, 1e-2
# How far apart the losses of the two are at most, in float32: roundings grow from step to step.
CURVES_AGREE = 0.01


def to_tokens(text: str) -> Array:
    """One number for each character."""
    return np.array([CHARACTERS.index(character) for character in text], np.int32)


def to_text(tokens: Array) -> str:
    """The text of a row of tokens."""
    return "".join(CHARACTERS[token] for token in tokens)


def sums(count: int, rng: np.random.Generator) -> str:
    """Lines such as ``7+8=15`` and ``1+2=03``."""
    pairs = rng.integers(0, 10, (count, 2)).tolist()
    return "".join(f"{a}+{b}={a + b:02}\n" for a, b in pairs)


def questions() -> Array:
    """All hundred questions, such as ``7+8=``, one to a row."""
    return np.stack([to_tokens(f"{a}+{b}=") for a in range(10) for b in range(10)])


def right(answers: Array) -> int:
    """How many of the hundred answers, two characters each, are right."""
    expected = [f"{a + b:02}" for a in range(10) for b in range(10)]
    return sum(to_text(row) == answer for row, answer in zip(answers, expected, strict=True))


def batches(
    tokens: Array, count: int, rng: np.random.Generator, batch: int = BATCH
) -> Iterator[tuple[Array, Array]]:
    """Pieces of a text that begin with a line, and the same pieces one character later."""
    within, lines = np.arange(CONFIG.context), (len(tokens) - CONFIG.context - 1) // LINE
    for _ in range(count):
        where = LINE * rng.integers(0, lines, (batch, 1)) + within
        yield tokens[where], tokens[where + 1]
