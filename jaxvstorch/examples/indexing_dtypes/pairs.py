"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.indexing_dtypes import inputs, reference

POSITION = (2, 4)  # the part of the book, and the position there

# Two matrices of n x n are the size; their product takes n multiplications and additions for each
# element, and the one in parts three times as many.
PRODUCT = Benchmark(sizes=(32, 131_072), operations=lambda size: 2 * int((size // 2) ** 0.5) ** 3)
PRODUCTS = Benchmark(sizes=(32, 131_072), operations=lambda size: 6 * int((size // 2) ** 0.5) ** 3)

PAIRS = (
    Pair("pick_per_row", inputs.picked, reference.pick_per_row, gradient=(0,)),
    Pair("take_wrapped", inputs.outside, reference.take_wrapped, gradient=(0,)),
    Pair("take_columns", inputs.heads, reference.take_columns, gradient=(0,)),
    Pair("reverse_steps", inputs.steps, reference.reverse_steps, gradient=(0,), static=("step",)),
    Pair(
        "segment_softmax",
        inputs.segments,
        reference.segment_softmax,
        gradient=(0,),
        static=("count",),
    ),
    Pair("divmod_or_zero", inputs.integers, reference.divmod_or_zero),
    Pair("scale_kept", inputs.scaled, reference.scale_kept, gradient=(0, 1)),
    Pair("to_bytes", inputs.pixels, reference.to_bytes),
    Pair("matmul_tf32", inputs.matrices, reference.matmul_tf32, benchmark=PRODUCT),
    Pair("matmul_in_parts", inputs.matrices, reference.matmul_in_parts, benchmark=PRODUCTS),
)
