"""map and associative_scan: what they make of many elements or steps."""


def test_jax_map_is_a_scan_and_vmap_has_no_loop(jax, in_jax) -> None:
    points, centres = jax.numpy.ones(100), jax.numpy.ones(8)

    def primitives(function) -> set[str]:
        jaxpr = jax.make_jaxpr(function)(points, centres)
        return {str(eqn.primitive) for eqn in jaxpr.eqns}

    assert "scan" in primitives(in_jax.density_map)
    assert "scan" not in primitives(in_jax.density_vmap)


def test_jax_associative_scan_grows_with_the_logarithm_of_the_steps(jax, in_jax) -> None:
    def size(function, num_steps: int) -> int:
        rows = jax.numpy.ones((num_steps, 2))
        return len(jax.make_jaxpr(function)(rows, rows).eqns)

    parallel = [size(in_jax.recurrence_associative, n) for n in (16, 64, 256)]
    assert parallel[1] - parallel[0] == parallel[2] - parallel[1] > 0
    sequential = [size(in_jax.recurrence_sequential, n) for n in (16, 256)]
    assert sequential[0] == sequential[1]
