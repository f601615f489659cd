"""Faults that people make in ports, by model."""

from faults import gpt, lstm, messages, resnet, unet, vae
from faults.fault import Fault

__all__ = ["FAULTS", "PAIRS_OF_FAULTS", "Fault"]

FAULTS = [
    *gpt.FAULTS,
    *resnet.FAULTS,
    *lstm.FAULTS,
    *vae.FAULTS,
    *unet.FAULTS,
    *messages.FAULTS,
]


# Both can be planted in one file, and both change what it returns.
PAIRS_OF_FAULTS = [
    ("gpt: gelu by tanh", "gpt: tile for repeat"),
    ("gpt: bias left out", "gpt: mask lets one ahead"),
    ("gpt: base of rotary positions", "gpt: final norm left out"),
    ("gpt: no scale", "gpt: the other norm's weights"),
    ("resnet: first convolution padded the same", "resnet: average without the padding"),
    ("resnet: epsilon of Keras", "resnet: flattened with the channels last"),
    ("resnet: maximum with zeros around", "resnet: leaky relu for relu"),
    ("lstm: second bias left out", "lstm: last outputs for last states"),
    ("lstm: one added to the forget gate", "lstm: square weight not transposed"),
    ("lstm: vocabulary from one", "lstm: directions in the other order"),
    ("vae: relu for elu", "vae: variance for deviation"),
    ("vae: strided convolution padded the same", "vae: transposed kernels not flipped"),
    ("vae: hard sigmoid", "vae: divergence not halved"),
    ("unet: gelu for silu", "unet: skip in the other order"),
    ("unet: strided convolution padded the same", "unet: aligned corners"),
    ("messages: degree of the sources", "messages: reset gate on both terms"),
    ("messages: slope of graph attention", "messages: sum of a graph for its mean"),
    ("messages: ends in the other order", "messages: new and old state swapped"),
]
