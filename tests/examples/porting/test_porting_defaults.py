"""The defaults that part the curves. The start is flax's own, so that PyTorch is not needed."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from jaxvstorch.examples.porting import data, settings, weights

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("flax")
pytest.importorskip("sklearn")

import optax  # noqa: E402
from flax import nnx  # noqa: E402

from jaxvstorch.examples.porting import jax_defaults, jax_dropout, jax_nnx  # noqa: E402

STEPS = 60


@pytest.fixture(scope="module")
def start() -> dict[str, np.ndarray]:
    return jax_nnx.state_dict(jax_nnx.DigitsNet(nnx.Rngs(3)), weights.FLATTENED)


@pytest.fixture(scope="module")
def digits() -> tuple[list[data.Digits], data.Digits]:
    train, test = data.load()
    return list(data.batches(train, STEPS)), test


@pytest.fixture(scope="module")
def port(start, digits) -> jax_defaults.Curves:
    return jax_defaults.train(jax_defaults.ported(start), *digits)


def gaps(found: jax_defaults.Curves, port: jax_defaults.Curves) -> tuple[float, float]:
    """The largest difference of a loss in training and in evaluation."""
    training, evaluation = (
        np.abs(np.subtract(a, b)).max() for a, b in zip(found, port, strict=True)
    )
    return training, evaluation


@pytest.mark.parametrize(
    ("name", "training", "evaluation"),
    [
        ("epsilon", (0, 1e-3), (0, 1e-3)),
        ("momentum", (0, 1e-6), (0.1, 10)),
        ("momentum_copied", (0, 1e-6), (1e-3, 10)),
        ("running_variance", (0, 1e-6), (1e-7, 1e-2)),
        ("initialization", (1e-2, 10), (1e-2, 10)),
        ("padding", (1e-2, 10), (1e-2, 10)),
        ("kernel_order", (1e-3, 10), (1e-3, 10)),
        ("flatten_order", (1e-2, 10), (1e-2, 10)),
    ],
)
def test_what_a_default_of_the_model_does(start, digits, port, name, training, evaluation) -> None:
    found = jax_defaults.train(getattr(jax_defaults, name)(start), *digits)
    in_training, in_evaluation = gaps(found, port)
    assert training[0] <= in_training < training[1]
    assert evaluation[0] <= in_evaluation < evaluation[1]


def test_weight_decay_hardly_moves_so_short_a_curve(start, digits, port) -> None:
    own = optax.adamw(settings.RATE)
    found = jax_defaults.train(jax_defaults.ported(start), *digits, own)
    assert 0 < gaps(found, port)[0] < 1e-2


def test_the_kernel_by_its_transpose_is_the_right_one_with_height_and_width_exchanged(
    start,
) -> None:
    right, wrong = (
        np.asarray(make(start).conv.kernel[...])
        for make in (jax_defaults.ported, jax_defaults.kernel_order)
    )
    assert right.shape == wrong.shape
    np.testing.assert_array_equal(wrong, right.transpose(1, 0, 2, 3))
    assert not np.array_equal(wrong, right)


def test_dropout_without_its_scale_has_the_masks_and_half_the_size() -> None:
    ones = np.ones((50, 40), np.float32)
    right = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    unscaled = jax_dropout.Unscaled(0.5, rngs=nnx.Rngs(0))
    np.testing.assert_array_equal(unscaled(ones) * 2, right(ones))
    right.eval()
    unscaled.eval()
    np.testing.assert_array_equal(unscaled(ones), ones)
    np.testing.assert_array_equal(right(ones), ones)


def test_dropout_without_its_scale_parts_the_curves(start, digits) -> None:
    batches, test = digits
    right, wrong = (
        jax_defaults.train(make(start), batches[:20], test)
        for make in (jax_dropout.scaled, jax_dropout.unscaled)
    )
    assert abs(right.training[0] - wrong.training[0]) > 1e-3  # from the first batch on


def test_adam_does_not_mind_a_sum_and_sgd_does(start, digits, port) -> None:
    jnp = jax.numpy
    summed = jax_defaults.train(jax_defaults.ported(start), *digits, reduce=jnp.sum)
    assert gaps(summed, port)[0] < 1e-2
    sgd = optax.sgd(0.1, momentum=0.9)
    mean = jax_defaults.train(jax_defaults.ported(start), *digits, sgd)
    summed = jax_defaults.train(jax_defaults.ported(start), *digits, sgd, jnp.sum)
    assert summed.training[-1] > 4 * mean.training[-1]


def test_a_schedule_by_epoch_taken_for_one_by_step_stops_the_training(start, digits, port) -> None:
    by_step = optax.adamw(
        optax.exponential_decay(settings.RATE, 1, 0.7), weight_decay=settings.WEIGHT_DECAY
    )
    found = jax_defaults.train(jax_defaults.ported(start), *digits, by_step)
    assert found.training[-1] > 1.5 * port.training[-1]


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="PyTorch is not installed")


def test_the_defaults_are_these(torch) -> None:
    default = jax_defaults.default
    nn = torch.nn
    assert (nn.LayerNorm(3).eps, default(nnx.LayerNorm, "epsilon")) == (1e-5, 1e-6)
    assert (nn.BatchNorm1d(3).eps, default(nnx.BatchNorm, "epsilon")) == (1e-5, 1e-5)
    assert (nn.BatchNorm1d(3).momentum, default(nnx.BatchNorm, "momentum")) == (0.1, 0.99)
    assert default(torch.optim.AdamW, "weight_decay") == 1e-2
    assert default(optax.adamw, "weight_decay") == 1e-4
    assert default(torch.optim.AdamW, "eps") == default(optax.adamw, "eps") == 1e-8
    assert (nn.Conv2d(1, 1, 3).padding, default(nnx.Conv, "padding")) == ((0, 0), "SAME")


def test_the_first_argument_of_layer_norm_is_another_in_linen_and_in_nnx() -> None:
    from flax import linen

    assert linen.LayerNorm(12).epsilon == 12
    assert nnx.LayerNorm(12, rngs=nnx.Rngs(0)).num_features == 12


def test_initial_weights_and_biases(torch) -> None:
    torch.manual_seed(0)
    theirs, ours = torch.nn.Linear(400, 300), nnx.Linear(400, 300, rngs=nnx.Rngs(0))
    kernel = np.asarray(ours.kernel[...])
    # The variance of kaiming_uniform(a=5**0.5) is a third of that of lecun_normal.
    assert float(theirs.weight.detach().var()) * 400 == pytest.approx(1 / 3, rel=0.02)
    assert kernel.var() * 400 == pytest.approx(1, rel=0.02)
    assert float(theirs.weight.detach().abs().max()) <= 1 / 20
    assert float(theirs.bias.detach().abs().max()) > 0
    assert not np.asarray(ours.bias[...]).any()


def test_stride_and_same_padding_pad_one_side(torch) -> None:
    x = np.ones((1, 8, 8, 1), np.float32)
    conv: Any = nnx.Conv(1, 1, (3, 3), strides=2, kernel_init=jax.nn.initializers.ones,
                         rngs=nnx.Rngs(0))  # fmt: skip
    same = np.asarray(conv(x))[0, :, :, 0]
    conv.padding = 1
    both = np.asarray(conv(x))[0, :, :, 0]
    assert same.shape == both.shape == (4, 4)
    assert (same[0, 0], same[-1, -1]) == (9, 4)
    assert (both[0, 0], both[-1, -1]) == (4, 9)
    with pytest.raises(ValueError, match="padding='same' is not supported for strided"):
        torch.nn.Conv2d(1, 1, 3, stride=2, padding="same")


def test_dropout_drops_its_argument_in_both_and_scales_what_stays(torch) -> None:
    x = np.ones(10_000, np.float32)
    theirs = torch.nn.Dropout(0.2)(torch.from_numpy(x)).numpy()
    ours = np.asarray(nnx.Dropout(0.2, rngs=nnx.Rngs(0))(x))
    for found in (theirs, ours):
        assert (found == 0).mean() == pytest.approx(0.2, abs=0.02)
        np.testing.assert_allclose(found[found != 0], 1.25)
    layer = nnx.Dropout(0.2, rngs=nnx.Rngs(0))
    assert torch.nn.Dropout(0.2).training
    assert layer.deterministic is False
    layer.eval()
    assert layer.deterministic is True


def test_adam_with_a_penalty_is_a_chain(torch) -> None:
    """What ``torch.optim.Adam(weight_decay=...)`` computes, and ``optax.adamw`` does not."""
    p0 = np.array([1.0, -2.0, 3.0], np.float32)
    g = np.array([0.1, 0.2, -0.3], np.float32)
    p = torch.nn.Parameter(torch.tensor(p0))
    adam = torch.optim.Adam([p], lr=0.1, weight_decay=0.5)
    chain = optax.chain(optax.add_decayed_weights(0.5), optax.adam(0.1))
    adamw = optax.adamw(0.1, weight_decay=0.5)
    ours, other = jax.numpy.array(p0), jax.numpy.array(p0)
    state, other_state = chain.init(ours), adamw.init(other)
    for _ in range(5):
        p.grad = torch.tensor(g)
        adam.step()
        change, state = chain.update(g, state, ours)
        ours = optax.apply_updates(ours, change)
        change, other_state = adamw.update(g, other_state, other)
        other = optax.apply_updates(other, change)
    np.testing.assert_allclose(ours, p.detach(), rtol=1e-5)
    assert abs(np.asarray(other) - p.detach().numpy()).max() > 0.1
