"""Count floating-point operations.

``FlopCounterMode`` counts products and convolutions as they run. XLA estimates all operations of a
compiled program.
"""

PAGE = "timing"
NAMES = ("torch.utils.flop_counter.FlopCounterMode",)


def with_torch():
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    x = torch.ones(30, 20)
    with FlopCounterMode(display=False) as counter:
        x @ x.T
    return counter.get_total_flops()


def with_jax():
    import jax
    import jax.numpy as jnp

    x = jnp.ones((30, 20))
    compiled = jax.jit(lambda x: x @ x.T).lower(x).compile()
    return compiled.cost_analysis()["flops"]
