"""The loss curves that the page draws are those of a run; and the network in flax."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from jaxvstorch.examples.precision import inputs

FIGURES = Path(__file__).parents[3] / "book" / "figures"
RATE, STEPS, EVERY = 0.02, 2000, 20


def start():
    parameters, x, _ = inputs.network(256, np.dtype(np.float32), np.random.default_rng(0))
    return parameters, x, np.sin(2 * x[:, :2])


@pytest.fixture(scope="module")
def losses():
    """The loss at each step, of each of the three runs in JAX."""
    jax = pytest.importorskip("jax")
    from jaxvstorch.examples.precision import jax as in_jax

    jnp = jax.numpy
    parameters, x, y = jax.tree.map(jnp.asarray, start())
    halved = jax.tree.map(lambda p: p.astype(jnp.bfloat16), parameters)

    def run(loss, parameters):
        def step(parameters, _):
            value, gradient = jax.value_and_grad(loss)(parameters, x, y)
            move = jax.tree.map(lambda p, g: p - (RATE * g).astype(p.dtype), parameters, gradient)
            return move, value

        last, values = jax.jit(lambda p: jax.lax.scan(step, p, length=STEPS))(parameters)
        return np.append(values, loss(last, x, y))

    def pure(parameters, x, y):
        return in_jax.network_loss(parameters, x.astype(jnp.bfloat16), y)

    return {
        "single": run(in_jax.network_loss, parameters),
        "mixed": run(in_jax.mixed_loss, parameters),
        "pure": run(pure, halved),
    }


def curves(name):
    """The losses that a figure draws: its points, read off its own axes."""
    text = (FIGURES / name).read_text(encoding="utf-8")
    axis = dict(
        re.findall(r'y1="([\d.]+)" y2="[\d.]+"/><text class="muted"[^>]*>(0\.1|1)<', text)[::-1]
    )
    tenth, one = sorted(map(float, axis), reverse=True)
    drawn = {}
    for kind, points in re.findall(r'<polyline class="curve (\w+)" points="([^"]+)"', text):
        heights = np.array([float(point.split(",")[1]) for point in points.split()])
        drawn[kind] = 0.1 * 10 ** ((tenth - heights) / (tenth - one))
    return drawn


@pytest.mark.parametrize("name", ["precision-curves.svg", "precision-curves-narrow.svg"])
def test_the_drawn_curves_are_those_of_a_run(losses, name) -> None:
    drawn = curves(name)
    assert set(drawn) == set(losses)
    for kind, values in drawn.items():
        assert len(values) == STEPS // EVERY
        # In bfloat16 the order of a sum, which a CPU chooses, moves a curve.
        assert np.allclose(values, losses[kind][:-1:EVERY], rtol=0.05 if kind == "pure" else 0.02)


def test_flax_takes_both_dtypes() -> None:
    jax, nnx = pytest.importorskip("jax"), pytest.importorskip("flax.nnx")
    module = importlib.import_module("jaxvstorch.examples.precision.jax_flax")
    model = module.Network(4, 8, 2, nnx.Rngs(0))
    x = jax.numpy.ones((3, 4))
    assert model(x).dtype == "bfloat16"
    gradient = nnx.grad(lambda model: model(x).astype("float32").sum())(model)
    for state in (nnx.state(model, nnx.Param), gradient):
        assert {str(leaf.dtype) for leaf in jax.tree.leaves(state)} == {"float32"}
