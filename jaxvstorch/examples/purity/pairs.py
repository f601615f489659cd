"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.purity import inputs, reference

POSITION = (1, 2)  # the part of the book, and the position there

PAIRS = (
    Pair("powers", inputs.vector, reference.powers, gradient=(0,)),
    Pair(
        "squared_deviations",
        inputs.vector,
        reference.squared_deviations,
        gradient=(0,),
        benchmark=Benchmark(sizes=(16, 65_536, 1_000_000), gpu_size="memory"),
    ),
    Pair("neighbour_sums", inputs.vector, reference.neighbour_sums, gradient=(0,)),
    Pair(
        "centered",
        inputs.vector_and_dict,
        reference.centered,
        gradient=(0,),
        benchmark=Benchmark(skip="it writes into its argument, so the second call has another one"),
    ),
    Pair("centered_and_mean", inputs.vector, reference.centered_and_mean, gradient=(0,)),
    Pair(
        "counted",
        inputs.vector,
        reference.counted,
        gradient=(0,),
        benchmark=Benchmark(skip="it counts its calls, and JAX's program does not"),
    ),
    Pair(
        "summed_squares",
        inputs.vector,
        reference.summed_squares,
        gradient=(0,),
        benchmark=Benchmark(skip="it keeps an array of each call"),
    ),
    Pair("scaled", inputs.vector, reference.scaled, gradient=(0,)),
    Pair("scaled_by", inputs.vector_and_scale, reference.scaled_by, gradient=(0, 1)),
    Pair("shifted_by_setting", inputs.vector, reference.shifted_by_setting, gradient=(0,)),
    Pair(
        "shifted_by_file",
        inputs.file,
        reference.shifted_by_file,
        gradient=(0,),
        static=("path",),
        fullgraph=False,
    ),
    Pair("announced_sum", inputs.vector, reference.announced_sum, gradient=(0,), fullgraph=False),
    Pair("stamped", inputs.vector, None, fullgraph=False),
    Pair("jittered", inputs.vector, None, fullgraph=False),
    Pair("noisy", inputs.vector, None),
)
