"""minDiffusion: two steps of training its U-net, and an image drawn in three."""

import torch
from driving import finish
from mindiffusion.ddpm import DDPM
from mindiffusion.unet import NaiveUnet

torch.manual_seed(0)
model = DDPM(NaiveUnet(1, 1, n_feat=8), betas=(1e-4, 0.02), n_T=3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
images = torch.randn(2, 1, 32, 32)
for _ in range(2):
    optimizer.zero_grad()
    loss = model(images)
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    drawn = model.sample(2, (1, 32, 32), "cpu")
print(loss.item(), drawn.mean().item())
finish()
