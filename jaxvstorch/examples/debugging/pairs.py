"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.debugging import inputs, reference

POSITION = (6, 1)  # the part of the book, and the position there

PAIRS = (
    Pair(
        "print_gradient",
        inputs.vector,
        reference.print_gradient,
        gradient=(0,),
        benchmark=Benchmark(skip="it prints"),
    ),
    Pair("entropy", inputs.probabilities, reference.entropy, gradient=(0,)),
    Pair("entropy_where", inputs.probabilities, reference.entropy, gradient=(0,)),
    Pair("entropy_safe", inputs.with_zeros, reference.entropy),
)
