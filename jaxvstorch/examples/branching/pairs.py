"""The pairs of this topic: what tests and benchmarks must know about each."""

from jaxvstorch._pairs.pair import Benchmark, Pair
from jaxvstorch.examples.branching import inputs, reference

POSITION = (1, 4)  # the part of the book, and the position there

PAIRS = (
    Pair("select_if", inputs.select, reference.select, gradient=(1,), jit=False, fullgraph=False),
    Pair(
        "select_cond",
        inputs.select,
        reference.select,
        gradient=(1,),
        benchmark=Benchmark(quick=(16,)),
    ),
    Pair(
        "select_where",
        inputs.select,
        reference.select,
        gradient=(1,),
        benchmark=Benchmark(
            sizes=(16, 1_000, 100_000, 10_000_000), quick=(16, 100_000), gpu_size="memory"
        ),
    ),
    Pair("select_elements", inputs.elements, reference.select, gradient=(1,)),
    Pair(
        "activate_list",
        inputs.activate,
        reference.activate,
        gradient=(1,),
        jit=False,
        fullgraph=False,
    ),
    Pair("activate_switch", inputs.activate, reference.activate, gradient=(1,)),
    Pair("activate_select", inputs.activate, reference.activate, gradient=(1,)),
    Pair(
        "expensive_cond",
        inputs.expensive,
        reference.expensive,
        gradient=(1,),
        benchmark=Benchmark(quick=(65_536,)),
    ),
    Pair(
        "expensive_where",
        inputs.expensive,
        reference.expensive,
        gradient=(1,),
        benchmark=Benchmark(quick=(65_536,)),
    ),
    Pair(
        "expensive_cond_batch",
        inputs.expensive_batch,
        reference.expensive,
        gradient=(1,),
        benchmark=Benchmark(
            one_shape="once a shape has changed PyTorch makes it a symbol, and `torch.vmap` of "
            "`torch.cond` does not compile with symbols"
        ),
    ),
    Pair("expensive_where_batch", inputs.expensive_batch, reference.expensive, gradient=(1,)),
    Pair("sqrt_unsafe", inputs.signed, reference.sqrt),  # its gradient is what is wrong with it
    Pair("sqrt_safe", inputs.signed, reference.sqrt, gradient=(0,)),
    Pair("next_token", inputs.logits, reference.next_token),
    Pair("mask_after_end", inputs.tokens, reference.mask_after_end),
    Pair("attention_mask", inputs.tokens, reference.attention_mask),
)
