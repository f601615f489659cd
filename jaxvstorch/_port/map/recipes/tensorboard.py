"""Log to TensorBoard.

Keep PyTorch's ``SummaryWriter``, or take tensorboardX's, which needs no PyTorch. Write each hundred
steps: a float waits for the device.
"""

PAGE = "training-loop"
NEEDS = ("tensorboard",)
NAMES = ("torch.utils.tensorboard.SummaryWriter", "torch.utils.tensorboard")


def with_torch():
    import os
    import tempfile

    import torch
    from torch.utils.tensorboard import SummaryWriter

    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
        for step in range(3):
            loss = torch.tensor(1.0) / (step + 1)
            writer.add_scalar("loss", loss.item(), step)
        files = len(os.listdir(folder))
    return files


def with_jax():
    import os
    import tempfile

    import jax.numpy as jnp
    from torch.utils.tensorboard import SummaryWriter

    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
        for step in range(3):
            loss = jnp.array(1.0) / (step + 1)
            writer.add_scalar("loss", float(loss), step)
        files = len(os.listdir(folder))
    return files
