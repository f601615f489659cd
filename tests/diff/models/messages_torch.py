"""Message passing on edge lists: normalised sums, a GRU's update, the mean of each graph."""

import numpy as np
import torch
import torch.nn.functional as F
from seeded import seeded
from torch import Tensor, nn


class Layer(nn.Module):
    """A message along each edge; the sum of what arrives updates a node's state."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.message = nn.Linear(2 * width, width)
        self.update = nn.GRUCell(width, width)

    def forward(self, h: Tensor, sources: Tensor, targets: Tensor, weight: Tensor) -> Tensor:
        """Return the new states, (nodes, width)."""
        pairs = torch.cat([h[sources], h[targets]], dim=-1)
        m = F.leaky_relu(self.message(pairs))
        m = m * weight[:, None]
        total = torch.zeros_like(h).index_add(0, targets, m)
        return self.update(total, h)


class Network(nn.Module):
    """Three graphs to four scores each."""

    def __init__(self, features: int = 5, width: int = 16, layers: int = 2) -> None:
        super().__init__()
        self.embed = nn.Linear(features, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(layers))
        self.head = nn.Linear(width, 4)

    def forward(self, nodes: Tensor, sources: Tensor, targets: Tensor, graph: Tensor) -> Tensor:
        """Return (3, 4) of nodes (nodes, features), edges and each node's graph."""
        loops = torch.arange(len(nodes))
        sources, targets = torch.cat([sources, loops]), torch.cat([targets, loops])
        ones = torch.ones(len(targets))
        degree = torch.zeros(len(nodes)).index_add(0, targets, ones)
        weight = (degree[sources] * degree[targets]).rsqrt()
        h = torch.tanh(self.embed(nodes))
        for layer in self.layers:
            h = layer(h, sources, targets, weight)
        sums = torch.zeros(3, h.shape[1]).index_add(0, graph, h)
        sizes = torch.bincount(graph, minlength=3)
        return self.head(sums / sizes[:, None])


def make() -> nn.Module:
    """Return the model with seeded weights."""
    return seeded(Network)


def inputs() -> tuple[np.ndarray, ...]:
    """Return three graphs of 4, 5 and 6 nodes: a ring each, and some edges more."""
    rng = np.random.default_rng(0)
    graph = np.repeat([0, 1, 2], [4, 5, 6])
    edges = [(i, j) for i in range(15) for j in range(15) if i != j and graph[i] == graph[j]]
    more = rng.choice(edges, 14, replace=False)
    starts = np.searchsorted(graph, graph)
    ring = starts + (np.arange(15) - starts + 1) % np.bincount(graph)[graph]
    sources = np.concatenate([np.arange(15), more[:, 0]])
    targets = np.concatenate([ring, more[:, 1]])
    return rng.normal(size=(15, 5)).astype(np.float32), sources, targets, graph
