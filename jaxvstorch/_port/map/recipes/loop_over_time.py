"""Loop over time steps.

A Python loop under ``jax.jit`` is unrolled: its program grows with the number of steps.
``jax.lax.scan`` compiles one step; it hands on a state, and stacks what each step returns.
"""

PAGE = "loops"
NAMES = ("lax.scan", "lax.fori_loop", "lax.while_loop")


def with_torch():
    import torch

    def run(state, inputs):
        outputs = []
        for x in inputs:
            state = torch.tanh(0.5 * state + x)
            outputs.append(state)
        return state, torch.stack(outputs)

    return run(torch.tensor(0.0), torch.linspace(-1, 1, 5))


def with_jax():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def run(state, inputs):
        def step(state, x):
            state = jnp.tanh(0.5 * state + x)
            return state, state

        return jax.lax.scan(step, state, inputs)

    return run(jnp.array(0.0), jnp.linspace(-1, 1, 5))
