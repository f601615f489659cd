"""CTC loss.

``optax.ctc_loss`` takes paddings in place of lengths, 1 where a step or label is padding, and the
batch axis first. It returns a loss for each sequence: PyTorch's mean divides each one by the length
of its target.
"""

PAGE = "ecosystem"
TOLERANCE = 1e-4
NAMES = ("torch.nn.functional.ctc_loss", "torch.nn.CTCLoss", "optax.ctc_loss")


def with_torch():
    import torch

    logits = torch.sin(torch.arange(40.0)).reshape(2, 5, 4)
    labels = torch.tensor([[1, 2, 3], [2, 1, 0]])
    log_probs = logits.log_softmax(-1).transpose(0, 1)  # (time, batch, classes)
    input_lengths, label_lengths = torch.tensor([5, 4]), torch.tensor([3, 2])
    losses = [
        torch.nn.functional.ctc_loss(
            log_probs, labels, input_lengths, label_lengths, reduction=reduction
        )
        for reduction in ("none", "mean")
    ]
    mean = torch.nn.CTCLoss()(log_probs, labels, input_lengths, label_lengths)
    return losses, mean


def with_jax():
    import jax.numpy as jnp
    import optax

    logits = jnp.sin(jnp.arange(40.0)).reshape(2, 5, 4)
    labels = jnp.array([[1, 2, 3], [2, 1, 0]])
    input_lengths, label_lengths = jnp.array([5, 4]), jnp.array([3, 2])
    logit_paddings = jnp.arange(5) >= input_lengths[:, None]
    label_paddings = jnp.arange(3) >= label_lengths[:, None]
    losses = optax.ctc_loss(
        logits, logit_paddings.astype(float), labels, label_paddings.astype(float)
    )
    mean = (losses / label_lengths).mean()
    return (losses, mean), mean
