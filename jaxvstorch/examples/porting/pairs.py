"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.porting import inputs, reference

POSITION = (4, 1)  # the part of the book, and the position there
# Images have 64 pixels: a batch of 4, of 64 and of 4,096.
IMAGES = Benchmark(sizes=(16, 4_096, 262_144), quick=(4_096,))

PAIRS = (
    # What flows into running statistics is no part of a loss.
    Pair("batch_norm", inputs.norm, reference.batch_norm, benchmark=IMAGES),
    Pair("forward", inputs.network, reference.forward, tolerance=4, benchmark=IMAGES),
    Pair(
        "predict",
        inputs.network,
        reference.predict,
        gradient=(0,),
        tolerance=4,
        benchmark=IMAGES,
    ),
    Pair("cross_entropy", inputs.scores, reference.cross_entropy, gradient=(0,)),
    Pair("accuracy", inputs.scores, reference.accuracy),
    Pair("rotate", inputs.heads, reference.rotate, gradient=(0,)),
    # It holds a gradient, and what torch.compile made has no second one.
    Pair("train_step", inputs.training, reference.train_step, tolerance=16, benchmark=IMAGES),
)
