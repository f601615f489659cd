"""The mixture of experts' own example: one step of training, and one look."""

import torch
from driving import run

torch.manual_seed(0)
run("example.py")
