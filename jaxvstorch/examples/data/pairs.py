"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.data import inputs, reference

POSITION = (4, 7)  # the part of the book, and the position there
IN_IMAGES = Benchmark(sizes=(384, 1_572_864))  # two images, and 8,192 of them

PAIRS = (
    Pair(
        "normalize_images",
        inputs.bytes_of_images,
        reference.normalize_images,
        benchmark=Benchmark(sizes=(384, 1_572_864), quick=(384,)),
    ),
    Pair("flip_images", inputs.flips, reference.flip_images, gradient=(0,), benchmark=IN_IMAGES),
    Pair(
        "crop_images",
        inputs.crops,
        reference.crop_images,
        gradient=(0,),
        static=("size",),
        benchmark=IN_IMAGES,
    ),
    Pair(
        "batches_of_epoch",
        inputs.epoch,
        reference.batches_of_epoch,
        gradient=(0,),
        static=("size",),
    ),
    Pair("mixup", inputs.mixing, reference.mixup, gradient=(0, 1)),
    Pair("masked_mean_loss", inputs.padded, reference.masked_mean_loss, gradient=(0,)),
    Pair("segment_positions", inputs.packed, reference.segment_positions),
    Pair(
        "segment_mask",
        inputs.square_of_packed,
        reference.segment_mask,
        benchmark=Benchmark(sizes=(16, 1_048_576)),
    ),
)
