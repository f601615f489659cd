"""The example of super resolution, on six images of noise in place of photographs."""

import sys
from types import SimpleNamespace

import torch
from driving import run


def images(upscale_factor: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    large = torch.rand(6, 1, 8 * upscale_factor, 8 * upscale_factor)
    return [(image[:, ::upscale_factor, ::upscale_factor], image) for image in large]


sys.modules["data"] = SimpleNamespace(get_training_set=images, get_test_set=images)
sizes = ("--upscale_factor", "2", "--batchSize", "2", "--nEpochs", "1", "--threads", "0")
run("super_resolution/main.py", *sizes)
