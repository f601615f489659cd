"""The script that is ported: a module, an optimizer and a step, in PyTorch."""

# mypy: allow-untyped-calls

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jaxvstorch.examples.porting.settings import RATE, WEIGHT_DECAY


class DigitsNet(nn.Module):
    """Logits of images of shape ``(n, 1, 8, 8)``."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, stride=2, padding=1, bias=False)
        self.batch_norm = nn.BatchNorm2d(8)
        self.hidden = nn.Linear(128, 32)
        self.layer_norm = nn.LayerNorm(32)
        self.output = nn.Linear(32, 10)

    def forward(self, images: Tensor) -> Tensor:
        """The logits, of shape ``(n, 10)``."""
        x = F.relu(self.batch_norm(self.conv(images)))
        x = x.flatten(1)
        x = F.relu(self.layer_norm(self.hidden(x)))
        x = self.output(x)
        return x


def make(seed: int = 0) -> tuple[DigitsNet, torch.optim.Optimizer]:
    """A new module and its optimizer."""
    torch.manual_seed(seed)
    model = DigitsNet()
    return model, torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=WEIGHT_DECAY)


def train_step(
    model: nn.Module, optimizer: torch.optim.Optimizer, images: Tensor, labels: Tensor
) -> Tensor:
    """Change the model by one batch; the loss is from before the change."""
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()
