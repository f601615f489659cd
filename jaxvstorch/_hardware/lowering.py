"""Compiles a program by JAX, for devices that are here or not."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxvstorch._frameworks.containers import arrays_in, with_arrays_mapped
from jaxvstorch._hardware.program import Program


def compile(program: Program, devices: list[Any]) -> Any:
    """Compile a program for as many devices as it wants.

    Args:
        program: what to compile.
        devices: at least as many as the program wants.

    Returns:
        What ``jax.jit(...).lower(...).compile()`` returns.

    Raises:
        ValueError: the arguments have no array, so that JAX would compile for this CPU.
    """
    pair = program.registered()
    given = program.arguments()
    if not arrays_in(given):
        raise ValueError(f"{program} has no array, whose device is the one to compile for")
    mesh = _mesh(program, devices)
    arguments = tuple(
        _abstract(value, NamedSharding(mesh, PartitionSpec(*spec)))
        for value, spec in zip(given, _specs(program, len(given)), strict=True)
    )
    compiled = jax.jit(
        _function(program), donate_argnums=program.donated, static_argnames=pair.static
    )
    return compiled.lower(*arguments).compile()


def _function(program: Program) -> Any:
    pair = program.registered()
    function = pair.half("jax")
    if not program.gradient:
        return function

    @functools.wraps(function)  # JAX reads the names of static arguments from it
    def total(*arguments: Any) -> Any:
        return sum(jnp.sum(result) for result in jax.tree.leaves(function(*arguments)))

    return jax.value_and_grad(total, argnums=pair.gradient)


def _mesh(program: Program, devices: list[Any]) -> Mesh:
    axes = program.mesh or (("alone", 1),)
    shape = [count for _, count in axes]
    grid = np.array(devices[: program.devices]).reshape(shape)
    return Mesh(grid, [name for name, _ in axes])


def _specs(program: Program, count: int) -> tuple[tuple[str | None, ...], ...]:
    return program.shards or ((),) * count


def _abstract(value: Any, sharding: NamedSharding) -> Any:
    """Replace arrays, also in containers, by their shape, dtype and sharding."""

    def abstract(item: Any) -> Any:
        if isinstance(item, np.ndarray | np.generic):
            return jax.ShapeDtypeStruct(item.shape, item.dtype, sharding=sharding)
        return item

    return with_arrays_mapped(abstract, value)
