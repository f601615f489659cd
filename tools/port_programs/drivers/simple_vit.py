"""A simple vision transformer: three steps of training, and a look at its classes."""

import torch
from driving import finish
from vit_pytorch.simple_vit import SimpleViT

torch.manual_seed(0)
sizes = {"dim": 16, "depth": 2, "heads": 2, "dim_head": 8, "mlp_dim": 32}
model = SimpleViT(image_size=16, patch_size=8, num_classes=10, **sizes)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = torch.nn.CrossEntropyLoss()
images, classes = torch.randn(4, 3, 16, 16), torch.tensor([3, 7, 0, 1])
for _ in range(3):
    optimizer.zero_grad()
    loss = criterion(model(images), classes)
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    print(loss.item(), model(images).argmax(1))
finish()
