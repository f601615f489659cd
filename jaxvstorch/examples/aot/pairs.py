"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.aot import inputs, reference

POSITION = (5, 3)  # the part of the book, and the position there

PAIRS = (
    Pair(
        "predict",
        inputs.network,
        reference.predict,
        gradient=(0, 1),
        benchmark=Benchmark(quick=(16,)),
    ),
    Pair("normalize", inputs.batch, reference.normalize, gradient=(0,)),
    Pair("classify", inputs.batch, reference.classify, gradient=(0,)),
    Pair("embed", inputs.tokens, reference.embed, gradient=(0,)),
    Pair("filter_fir", inputs.signal, reference.filter_fir, gradient=(0, 1)),
    Pair("kalman_step", inputs.track, reference.kalman_step, gradient=(0, 1, 2)),
    Pair("pool_pairs", inputs.even_batch, reference.pool_pairs, gradient=(0,)),
    Pair("similarity", inputs.two_sets, reference.similarity, gradient=(0, 1)),
    Pair("recent_mean", inputs.recent, reference.recent_mean, gradient=(0,), static=("count",)),
    Pair("amplify", inputs.amplified, reference.amplify, gradient=(0,)),
)
