"""A U-Net for masks: three steps of training on images of noise."""

import multiprocessing.pool
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from driving import finish
from PIL import Image

sys.modules["torchvision.transforms.functional"] = SimpleNamespace()
quiet = SimpleNamespace(config={}, log=lambda values: None)
sys.modules["wandb"] = SimpleNamespace(init=lambda **_: quiet)
os.cpu_count = lambda: 0  # no worker processes
multiprocessing.Pool = lambda: multiprocessing.pool.ThreadPool(1)
numbers = np.random.default_rng(0)
for folder, highest, shape in (("imgs", 255, (32, 32, 3)), ("masks", 2, (32, 32))):
    Path("data", folder).mkdir(parents=True, exist_ok=True)
    for i in range(4):
        pixels = numbers.integers(highest, size=shape, dtype=np.uint8)
        Image.fromarray(pixels).save(f"data/{folder}/{i}.png")
from train import UNet, train_model  # noqa: E402

torch.manual_seed(0)
sizes = {"epochs": 1, "val_percent": 0.25, "save_checkpoint": False, "img_scale": 1}
train_model(UNet(3, 2), torch.device("cpu"), **sizes)
finish()
