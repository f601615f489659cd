"""JAX with eight devices; a session's tests share that process."""


def begin() -> None:
    """Make the CPU eight devices; they all share its cores."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 8)


def mesh():
    """Four of them."""
    import jax

    return jax.make_mesh((4,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
