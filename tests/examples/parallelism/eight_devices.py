"""What is done where JAX has eight devices; a session's tests share that process."""

import numpy as np

from jaxvstorch.examples.parallelism import inputs
from jaxvstorch.examples.parallelism.collectives import collectives_in_jax

# The network's matrices have 64 x 256 and 256 x 64 numbers, its batch 64 x 64.
ARRAYS = inputs.training(4096, np.dtype(np.float32), np.random.default_rng(0))
DATA = ((), (), ("data",), ("data",))
TENSOR = ((None, "data"), ("data",), (), ())


def begin() -> None:
    """Make the CPU eight devices; they all share its cores."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 8)


def mesh(kind, sizes=(8,), names=("data",)):
    """A mesh whose axes are all Auto or all Explicit."""
    import jax

    types = (jax.sharding.AxisType[kind],) * len(sizes)
    return jax.make_mesh(sizes, names, axis_types=types)


def laid_out(arrays, specs, devices):
    """Arrays on a mesh."""
    import jax

    return [
        jax.device_put(array, jax.NamedSharding(devices, jax.P(*spec)))
        for array, spec in zip(arrays, specs, strict=True)
    ]


def steps(kind, sizes, names, specs):
    """The training step on a mesh: its collectives, and how far it is from one device's."""
    import jax

    from jaxvstorch.examples.parallelism import jax as half

    args = laid_out(ARRAYS, specs, mesh(kind, sizes, names))
    results = zip(jax.jit(half.train_step)(*args), half.train_step(*ARRAYS), strict=True)
    error = max(np.abs(np.asarray(ours) - np.asarray(one)).max() for ours, one in results)
    return collectives_in_jax(half.train_step, *args), float(error)


def pair_in_shards(name, make, cut, kind="Auto"):
    """A pair with its leading axis laid over four devices: its collectives, and the results."""
    import jax

    from jaxvstorch.examples.parallelism import jax as half

    arrays = make(256, np.dtype(np.float32), np.random.default_rng(0))
    specs = [("data",) if is_cut else () for is_cut in cut]
    args = laid_out(arrays, specs, mesh(kind, (4,)))
    function = getattr(half, name)
    results = jax.tree.map(np.asarray, jax.jit(function)(*args))
    return collectives_in_jax(function, *args), results


def refused(function, *args):
    """The error of a call: the name of its class and its message."""
    try:
        function(*args)
    except Exception as error:
        return type(error).__name__, str(error)
    return None
