"""A graph attention network: two steps on a random graph of thirty nodes in place of Cora."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from driving import finish

sys.modules["requests"] = SimpleNamespace()
from gat import main  # noqa: E402

numbers = np.random.default_rng(0)
features = numbers.integers(2, size=(30, 6))
features[:, 0] = 1
nodes = [f"{i} {' '.join(map(str, features[i]))} {'abc'[i % 3]}" for i in range(30)]
edges = [f"{i} {j}" for i, j in numbers.integers(30, size=(60, 2))]
for name, lines in (("content", nodes), ("cites", edges)):
    Path(f"cora.{name}").write_text("\n".join(lines), encoding="utf-8")
torch.manual_seed(0)
graph, labels, adjacency = main.load_cora(".")
model = main.GAT(graph.shape[1], 8, 2, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
data = (model, optimizer, torch.nn.NLLLoss(), (graph, adjacency), labels)
for epoch in range(2):
    main.train_iter(epoch, *data, torch.arange(20), torch.arange(20, 30), print_every=1)
finish()
