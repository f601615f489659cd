"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.loops import inputs, reference

POSITION = (1, 5)  # the part of the book, and the position there

PAIRS = (
    Pair("evolve_python", inputs.evolve, reference.evolve, gradient=(0,), static=("num_steps",)),
    Pair("evolve_fori", inputs.evolve, reference.evolve, gradient=(0,), static=("num_steps",)),
    Pair("evolve_while", inputs.evolve_while, reference.evolve),
    Pair(
        "evolve_scan",
        inputs.evolve,
        reference.evolve,
        gradient=(0,),
        static=("num_steps",),
        benchmark=Benchmark(sizes=(16, 65_536, 250_000), quick=(16, 65_536), gpu_size="memory"),
    ),
    Pair("evolve_scan_unrolled", inputs.evolve, reference.evolve, static=("num_steps",)),
    Pair("sqrt_python", inputs.sqrt, reference.sqrt, gradient=(0,), jit=False, fullgraph=False),
    Pair("sqrt_while", inputs.sqrt, reference.sqrt),
    Pair("density_map", inputs.density, reference.density, gradient=(0, 1)),
    Pair("density_vmap", inputs.density, reference.density, gradient=(0, 1)),
    Pair("recurrence_sequential", inputs.recurrence, reference.recurrence, gradient=(0, 1)),
    Pair("recurrence_associative", inputs.recurrence, reference.recurrence, gradient=(0, 1)),
)
