"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.modules import inputs, reference

POSITION = (4, 2)  # the part of the book, and the position there

# A size is a number of images, of 32 numbers each.
IMAGES = Benchmark(sizes=(16, 2_048))

PAIRS = (
    Pair("linear", inputs.rows, reference.linear, gradient=(0, 1, 2)),
    Pair("conv2d", inputs.images, reference.conv2d, gradient=(0, 1, 2), benchmark=IMAGES),
    Pair(
        "conv2d_channels_last",
        inputs.images_channels_last,
        reference.conv2d_channels_last,
        gradient=(0, 1, 2),
        benchmark=IMAGES,
    ),
    # No gradient: PyTorch's running statistics have none, and tests take that of the output alone.
    Pair(
        "batch_norm_train",
        inputs.channels,
        reference.batch_norm_train,
        tolerance=8,
        benchmark=IMAGES,
    ),
    Pair(
        "batch_norm_eval",
        inputs.channels,
        reference.batch_norm_eval,
        gradient=(0, 1, 2),
        tolerance=8,
        benchmark=IMAGES,
    ),
    Pair("dropout", inputs.hidden, reference.dropout, gradient=(0,)),
    Pair(
        "network_train",
        inputs.training,
        reference.network_train,
        tolerance=32,
        benchmark=IMAGES,
    ),
    Pair(
        "network_eval",
        inputs.evaluating,
        reference.network_eval,
        gradient=(0, 2),
        tolerance=32,
        benchmark=IMAGES,
    ),
    Pair("tied_logits", inputs.tokens, reference.tied_logits, gradient=(0,), tolerance=8),
)
