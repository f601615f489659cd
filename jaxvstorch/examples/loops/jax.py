"""Loops in JAX."""

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float, Int


def _step(state: Float[Array, " n"]) -> Float[Array, " n"]:
    """One step of the recurrence: a tenth of the way from each element to one."""
    return 0.9 * state + 0.1


# Bodies stand outside: without ``jit``, JAX compiles one anew that is new on each call.
def _counted_step(_: Int[Array, ""], state: Float[Array, " n"]) -> Float[Array, " n"]:
    return _step(state)


def _unfinished(carry: tuple[Array, Array]) -> Array:
    remaining, _ = carry
    return remaining > 0


def _step_down(carry: tuple[Array, Array]) -> tuple[Array, Array]:
    remaining, state = carry
    return remaining - 1, _step(state)


def _scanned_step(state: Float[Array, " n"], _: None) -> tuple[Float[Array, " n"], None]:
    return _step(state), None


def evolve_python(state: Float[Array, " n"], num_steps: int) -> Float[Array, " n"]:
    """Take ``num_steps`` steps in a Python loop: tracing records every step."""
    for _ in range(num_steps):
        state = _step(state)
    return state


def evolve_fori(state: Float[Array, " n"], num_steps: int) -> Float[Array, " n"]:
    """Take the steps in one loop of the program, counted from 0 to ``num_steps``."""
    return lax.fori_loop(0, num_steps, _counted_step, state)


def evolve_while(state: Float[Array, " n"], num_steps: Int[Array, ""]) -> Float[Array, " n"]:
    """Take a number of steps that only the running program knows: the carry counts down."""
    return lax.while_loop(_unfinished, _step_down, (num_steps, state))[1]


def evolve_scan(state: Float[Array, " n"], num_steps: int) -> Float[Array, " n"]:
    """Take a fixed number of steps, with no input and no output of each step."""
    return lax.scan(_scanned_step, state, length=num_steps)[0]


def evolve_scan_unrolled(state: Float[Array, " n"], num_steps: int) -> Float[Array, " n"]:
    """The same, with four steps unrolled in each iteration of the loop."""
    return lax.scan(_scanned_step, state, length=num_steps, unroll=4)[0]


def sqrt_python(a: Float[Array, " n"]) -> Float[Array, " n"]:
    """Newton's square root of positive numbers; the Python loop needs values: no tracing."""
    root = (a + 1) / 2
    while _inexact(root, a):
        root = (root + a / root) / 2
    return root


def sqrt_while(a: Float[Array, " n"]) -> Float[Array, " n"]:
    """The same in the compiled program, which runs until the last element has converged."""

    def step(root: Array) -> Array:
        return (root + a / root) / 2

    return lax.while_loop(lambda root: _inexact(root, a), step, (a + 1) / 2)


def _inexact(root: Float[Array, " n"], a: Float[Array, " n"]) -> Array:
    """Whether any square is off by more than eight roundings."""
    return jnp.any(jnp.abs(root * root - a) > 8 * jnp.finfo(a.dtype).eps * a)


def density_map(points: Float[Array, " n"], centres: Float[Array, " m"]) -> Float[Array, " m"]:
    """Mean Gaussian bump of all points at each center, one center after another."""
    return lax.map(lambda centre: jnp.exp(-((points - centre) ** 2)).mean(), centres)


def density_vmap(points: Float[Array, " n"], centres: Float[Array, " m"]) -> Float[Array, " m"]:
    """The same for all centres at once: no loop at all."""
    return jax.vmap(lambda centre: jnp.exp(-((points - centre) ** 2)).mean())(centres)


def _driven_step(
    state: Float[Array, " n"], row: tuple[Float[Array, " n"], Float[Array, " n"]]
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    decay, drive = row
    state = decay * state + drive
    return state, state


def recurrence_sequential(
    decay: Float[Array, "steps n"], drive: Float[Array, "steps n"]
) -> Float[Array, "steps n"]:
    """All states of ``state = decay * state + drive``, from zero, one after the other."""
    return lax.scan(_driven_step, jnp.zeros_like(drive[0]), (decay, drive))[1]


def recurrence_associative(
    decay: Float[Array, "steps n"], drive: Float[Array, "steps n"]
) -> Float[Array, "steps n"]:
    """The same in parallel: two consecutive steps make one step of the same form."""

    def compose(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
        (decay, drive), (later_decay, later_drive) = first, second
        return later_decay * decay, later_decay * drive + later_drive

    return lax.associative_scan(compose, (decay, drive))[1]
