"""A graph convolutional network of torch_geometric: three steps on a random graph."""

import torch
import torch.nn.functional as F
from driving import finish
from torch_geometric.nn import GCNConv


class GCN(torch.nn.Module):
    def __init__(self, in_channels, hidden_channels, out_channels):
        super().__init__()
        self.conv1 = GCNConv(in_channels, hidden_channels)
        self.conv2 = GCNConv(hidden_channels, out_channels)

    def forward(self, x, edge_index):
        x = F.dropout(self.conv1(x, edge_index).relu(), training=self.training)
        return self.conv2(x, edge_index)


torch.manual_seed(0)
model = GCN(8, 6, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
x, edges, y = torch.randn(12, 8), torch.randint(12, (2, 30)), torch.randint(3, (12,))
for _ in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x, edges), y)
    loss.backward()
    optimizer.step()
print(loss.item())
finish()
