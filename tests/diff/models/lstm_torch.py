"""A bidirectional LSTM that tags each word and classifies the sentence."""

import numpy as np
import torch
from seeded import seeded
from torch import Tensor, nn


class Tagger(nn.Module):
    """Tags from the states at each word; the sentence's class from the last states."""

    def __init__(self, vocabulary: int = 40, width: int = 16, hidden: int = 12) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(2 * hidden, 7)
        self.dense = nn.Linear(2 * hidden, 2 * hidden)
        self.intent = nn.Linear(2 * hidden, 5)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return (batch, time, 7) and (batch, 5)."""
        x = self.embedding(tokens)
        states, (last, _) = self.lstm(x)
        summary = torch.cat([last[0], last[1]], dim=-1)
        summary = torch.tanh(self.dense(summary))
        return self.tags(states), self.intent(summary)


def make() -> nn.Module:
    """Return the model with seeded weights."""
    return seeded(Tagger)


def inputs() -> tuple[np.ndarray, ...]:
    """Return three sentences of nine words."""
    return (np.random.default_rng(0).integers(0, 40, (3, 9)),)
