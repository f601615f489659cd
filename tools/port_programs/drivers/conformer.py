"""A Conformer between two linear layers: three steps of training on noise for speech."""

import torch
from conformer.conformer import Conformer
from driving import finish

torch.manual_seed(0)
encoder = Conformer(16, depth=2, dim_head=8, heads=2, ff_mult=2, conv_kernel_size=7)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), encoder, torch.nn.Linear(16, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = torch.nn.CrossEntropyLoss()
features, phonemes = torch.randn(2, 20, 8), torch.randint(12, (2, 20))
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(model(features).transpose(1, 2), phonemes)
    loss.backward()
    optimizer.step()
print(loss.item())
finish()
