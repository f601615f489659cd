"""The loss curves that the page draws are those of a run, and PyTorch's runs end alike."""

import re
from pathlib import Path

import numpy as np
import pytest

from jaxvstorch.examples.precision import inputs

FIGURES = Path(__file__).parents[3] / "book" / "figures"
RATE, STEPS, EVERY = 0.02, 2000, 20
DRAWN = {"single": 0.146, "mixed": 0.146, "pure": 0.336}  # where the labels say that they end


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


def test_the_curves_end_where_their_labels_say(losses) -> None:
    for kind, end in DRAWN.items():
        assert abs(losses[kind][-1] - end) < 0.02 * end


@pytest.fixture
def one_thread(torch):
    """Arrays this small gain nothing from a second thread, and waiting for it costs a lot."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_torch_ends_alike_in_float32_and_mixed_and_stops_in_bfloat16(
    torch, in_torch, one_thread
) -> None:
    parameters, x, y = start()
    parameters = {name: torch.from_numpy(value) for name, value in parameters.items()}
    x, y = torch.from_numpy(x), torch.from_numpy(y)

    def pure(parameters, x, y):
        return in_torch.network_loss(parameters, x.bfloat16(), y)

    def run(loss, first, steps=STEPS):
        weights = {name: value.clone().requires_grad_() for name, value in first.items()}
        optimizer = torch.optim.SGD(weights.values(), lr=RATE)
        for _ in range(steps):
            optimizer.zero_grad()
            loss(weights, x, y).backward()
            optimizer.step()
        return {name: value.detach() for name, value in weights.items()}

    single = in_torch.network_loss(run(in_torch.network_loss, parameters), x, y).item()
    mixed = in_torch.mixed_loss(run(in_torch.mixed_loss, parameters), x, y).item()
    assert abs(single - DRAWN["single"]) < 0.02 * single
    assert abs(mixed - single) < 0.02 * single
    stopped = run(pure, {name: value.bfloat16() for name, value in parameters.items()})
    assert pure(stopped, x, y).item() > 2 * mixed
    again = run(pure, stopped, steps=1)
    assert all(again[name].equal(stopped[name]) for name in again)
