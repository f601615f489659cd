"""What is asked of JAX where its CPU is two devices, in a process of their own."""


def begin() -> None:
    """Make the CPU two devices; they share its cores."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 2)


def _arrays():
    """An array that is free to move, and one that is held on each device."""
    import jax

    first, second = jax.devices()
    x = jax.numpy.ones(2)
    return {"free": x, "first": jax.device_put(x, first), "second": jax.device_put(x, second)}


def where(code: str) -> list[tuple[int, bool]]:
    """The device of each array that an expression gives, and whether it is committed."""
    import jax
    import numpy as np

    names = {"jax": jax, "jnp": jax.numpy, "np": np, "devices": jax.devices(), **_arrays()}
    found = eval(code, names)
    return [(a.device.id, a.committed) for a in (found if isinstance(found, tuple) else (found,))]


def refused(code: str) -> str:
    """The message of the error that an expression raises."""
    try:
        where(code)
    except ValueError as error:
        return str(error)
    return ""


def under_default(code: str) -> list[tuple[int, bool]]:
    """The same as ``where``, with the second device as the default."""
    import jax

    free = jax.numpy.ones(2)
    with jax.default_device(jax.devices()[1]):
        names = {"jax": jax, "jnp": jax.numpy, "free": free}
        found = eval(code, names)
    return [(found.device.id, found.committed)]


def traces() -> int:
    """How often a function is traced for three placements of its argument."""
    import jax

    traced = []

    @jax.jit
    def function(x):
        traced.append(x)
        return x + 1

    for x in _arrays().values():
        function(x)
    return len(traced)
