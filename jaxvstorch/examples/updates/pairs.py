"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.updates import inputs, reference

POSITION = (2, 1)  # the part of the book, and the position there

LARGE = Benchmark(sizes=(16, 65_536, 4_194_304), quick=(16, 65_536))

PAIRS = (
    Pair("set_rows", inputs.rows, reference.set_rows, gradient=(0, 2), benchmark=LARGE),
    Pair("add_at", inputs.repeated, reference.add_at, gradient=(0, 2), benchmark=LARGE),
    Pair("count_once", inputs.places, reference.count_once),  # which repeat has the gradient?
    Pair("max_at", inputs.repeated, reference.max_at, gradient=(0, 2)),
    Pair("cumulative_histogram", inputs.bins, reference.cumulative_histogram, gradient=(0, 2)),
    Pair("clip_where", inputs.limit, reference.clip_where, gradient=(0,)),
    Pair("take_or_zero", inputs.out_of_range, reference.take_or_zero, gradient=(0,)),
    Pair("put_or_drop", inputs.out_of_range_values, reference.put_or_drop, gradient=(0, 2)),
    Pair("swap_rows", inputs.swap, reference.swap_rows, gradient=(0,)),
    Pair("ring_write", inputs.ring, reference.ring_write, gradient=(0, 2), benchmark=LARGE),
    Pair("fill_rows", inputs.steps, reference.fill_rows, gradient=(0,), benchmark=LARGE),
    Pair("drain", inputs.places, reference.drain, gradient=(0,), benchmark=LARGE),
)
