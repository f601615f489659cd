"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.methods import inputs, reference

POSITION = (1, 7)  # the part of the book, and the position there
# Weights grow with the square of the width.
MATRICES = Benchmark(sizes=(16, 2_048))

PAIRS = (
    Pair(
        "scale_by_attribute",
        inputs.static_scale,
        reference.scaled,
        gradient=(0,),
        static=("scale",),
    ),
    Pair("scale_by_hash", inputs.static_scale, reference.scaled, gradient=(0,), static=("scale",)),
    Pair("scale_by_argument", inputs.scale, reference.scaled, gradient=(0, 1)),
    Pair("affine", inputs.affine, reference.affine, gradient=(0, 1, 2), benchmark=MATRICES),
    Pair("mean_so_far", inputs.mean, reference.mean_so_far, gradient=(0, 1)),
    Pair("calibrated", inputs.readings, reference.calibrated, gradient=(0,)),
    Pair("calibrated_host", inputs.readings, reference.calibrated),  # NumPy gives no derivative
    Pair("calibrated_host_slope", inputs.readings, reference.calibrated, gradient=(0,)),
    # The program is cut in two, with NumPy between.
    Pair(
        "calibrated_between",
        inputs.readings,
        reference.calibrated,
        jit=False,
        fullgraph=False,
    ),
    Pair("recorded", inputs.vector, reference.halved),  # an ordered callback has no derivative
    # Terms of a weight's gradient nearly cancel where the network has one unit.
    Pair(
        "blocks",
        inputs.blocks,
        reference.blocks,
        gradient=(0, 1),
        tolerance=4,
        benchmark=MATRICES,
    ),
    Pair(
        "blocks_once",
        inputs.blocks,
        reference.blocks,
        gradient=(0, 1),
        tolerance=4,
        benchmark=MATRICES,
    ),
)
