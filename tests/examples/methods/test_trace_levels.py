"""An object's state, changed at another trace level than the one it was made at."""

import pytest
from method_programs import Scaler


class Total(Scaler):
    """Adds up what it has seen."""

    total = 0.0

    def apply(self, x):  # noqa: D102  what is compiled
        self.total = self.total + x.sum()
        return self.scale * x


@pytest.fixture
def x(jax):
    return jax.numpy.arange(4.0)


@pytest.mark.parametrize("transformation", ["jit", "grad", "vmap", "scan"])
def test_a_tracer_stays_in_self_and_fails_where_it_is_used(jax, x, transformation) -> None:
    total = Total(2.0)
    transformed = {
        "jit": jax.jit(total.apply),
        "grad": jax.grad(lambda x: total.apply(x).sum()),
        "vmap": jax.vmap(total.apply),
        "scan": lambda x: jax.lax.scan(lambda c, y: (c, total.apply(y)), 0.0, x),
    }[transformation]
    transformed(x.reshape(2, 2) if transformation == "vmap" else x)
    assert isinstance(total.total, jax.core.Tracer)
    with pytest.raises(jax.errors.UnexpectedTracerError, match="had a side effect"):
        jax.numpy.add(total.total, 1)


def test_the_check_of_leaks_names_the_holder(jax, x) -> None:
    total = Total(2.0)
    with jax.check_tracer_leaks(), pytest.raises(Exception, match="Leaked trace"):
        jax.jit(total.apply)(x)


def test_a_ref_keeps_what_each_call_wrote(jax, x) -> None:
    total = jax.new_ref(jax.numpy.zeros(()))

    @jax.jit
    def apply(x):
        total[...] += x.sum()
        return 2 * x

    for _ in range(2):
        apply(x)
    assert total[...] == 12


def test_a_new_state_that_is_returned_is_right(jax, x) -> None:
    from jaxvstorch.examples.methods import jax as in_jax

    mean = in_jax.Mean(jax.numpy.float32(0), jax.numpy.int32(0))
    for _ in range(2):
        mean = mean.add(x)
    assert (mean.total, mean.count) == (12, 8)


def test_flax_refuses_the_change_itself(jax, x) -> None:
    pytest.importorskip("flax")
    from flax import errors, nnx

    class Counter(nnx.Module):
        def __init__(self):
            self.count = nnx.Variable(jax.numpy.zeros(()))

    counter = Counter()

    def count(counter, x):
        counter.count[...] += 1
        return x

    def captured(x):
        return count(counter, x)

    for function in (jax.jit(captured), jax.vmap(captured), jax.grad(lambda x: captured(x[0]))):
        with pytest.raises(errors.TraceContextError, match="from a different trace level"):
            function(x)
    for _ in range(2):
        nnx.jit(count)(counter, x)
    assert counter.count[...] == 2
