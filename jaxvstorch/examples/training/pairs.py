"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.training import inputs, reference

POSITION = (4, 4)  # the part of the book, and the position there
SIZES = (16, 1_024)
IN_PLACE = Benchmark(skip="PyTorch's half writes into its arguments")
# The reference moves every number by itself.
IN_A_WORKLOAD = Benchmark(skip="the workload `gpt_step` times a training step")

PAIRS = (
    Pair(
        "causal_attention",
        inputs.heads,
        reference.causal_attention,
        gradient=(0, 1, 2),
        benchmark=Benchmark(sizes=SIZES),
    ),
    Pair(
        "block",
        inputs.block,
        reference.block,
        gradient=(0, 1),
        tolerance=8,
        benchmark=Benchmark(sizes=SIZES),
    ),
    Pair(
        "logits",
        inputs.text,
        reference.logits,
        gradient=(0,),
        tolerance=32,
        benchmark=Benchmark(sizes=SIZES, operations=inputs.operations),
    ),
    Pair(
        "loss",
        inputs.batch,
        reference.loss,
        gradient=(0,),
        tolerance=32,
        benchmark=Benchmark(sizes=SIZES, quick=(1_024,), operations=inputs.operations),
    ),
    Pair(
        "summed_loss",
        inputs.padded,
        reference.summed_loss,
        gradient=(0,),
        tolerance=32,
        benchmark=Benchmark(sizes=SIZES),
    ),
    # It holds a gradient, and what torch.compile made has no second one.
    Pair(
        "train_step",
        inputs.training,
        reference.train_step,
        tolerance=8,
        benchmark=IN_A_WORKLOAD,
    ),
    Pair(
        "empty_cache",
        inputs.room,
        reference.empty_cache,
        static=("batch",),
        benchmark=Benchmark(skip="it computes nothing"),
    ),
    Pair("decode", inputs.continued, reference.decode, tolerance=8, benchmark=IN_PLACE),
    Pair(
        "sample", inputs.scores, reference.sample, static=("k",), benchmark=Benchmark(sizes=SIZES)
    ),
    Pair(
        "generate",
        inputs.prompt,
        reference.generate,
        static=("k",),
        benchmark=Benchmark(sizes=SIZES),
    ),
)
