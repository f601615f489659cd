"""Print inside compiled code.

``print`` runs once, while JAX traces, and shows no numbers. ``jax.debug.print`` runs at each call;
its braces take ``str.format``'s form.
"""

PAGE = "debugging"
NAMES = ("torch.set_printoptions", "jax.debug.print", "jnp.set_printoptions")


def with_torch():
    import contextlib
    import io

    import torch

    def f(x):
        print(f"sum {x.sum():.1f}")
        return 2 * x

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        f(torch.ones(3))
        f(torch.ones(3))
    return printed.getvalue().count("sum 3.0")


def with_jax():
    import contextlib
    import io

    import jax
    import jax.numpy as jnp

    @jax.jit
    def f(x):
        jax.debug.print("sum {:.1f}", x.sum())
        return 2 * x

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        f(jnp.ones(3))
        f(jnp.ones(3))
        jax.effects_barrier()  # wait for what is printed
    return printed.getvalue().count("sum 3.0")
