"""The port, stage by stage, and its loss curve beside PyTorch's."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from jaxvstorch.examples.porting import data, settings, weights

jax = pytest.importorskip("jax", reason="JAX is not installed")
torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax")
pytest.importorskip("sklearn")

from jaxvstorch.examples.porting import jax as in_jax  # noqa: E402
from jaxvstorch.examples.porting import jax_nnx, jax_optax, torch_module  # noqa: E402


def named(model) -> dict[str, np.ndarray]:
    return {name: value.numpy().copy() for name, value in model.state_dict().items()}


def torch_batch(batch) -> tuple[Any, Any]:
    return torch.from_numpy(batch.images)[:, None], torch.from_numpy(batch.labels)


def start() -> tuple[Any, ...]:
    """The same weights in a module of PyTorch, a module of flax, and a tree."""
    model, optimizer = torch_module.make()
    net, state = jax_nnx.make(1)
    jax_nnx.load_state_dict(net, model.state_dict(), weights.FLATTENED)
    return model, optimizer, net, state, jax_optax.init(named(model))


class Run(NamedTuple):
    """Three trained models, and their losses by name."""

    model: Any
    net: Any
    state: Any
    losses: dict[str, np.ndarray]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """The tensors are so small that a second thread waits most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def digits() -> tuple[data.Digits, data.Digits]:
    return data.load()


@pytest.fixture(scope="module")
def run(digits) -> Run:
    model, optimizer, net, net_optimizer, state = start()
    losses: dict[str, list[float]] = {"torch": [], "nnx": [], "optax": []}
    for batch in data.batches(digits[0], settings.STEPS):
        images = batch.images[..., None]
        loss = torch_module.train_step(model, optimizer, *torch_batch(batch))
        losses["torch"].append(float(loss))
        losses["nnx"].append(float(jax_nnx.train_step(net, net_optimizer, images, batch.labels)))
        state, loss = jax_optax.train_step(state, batch.images, batch.labels)
        losses["optax"].append(float(loss))
    return Run(model, net, state, {name: np.array(found) for name, found in losses.items()})


def test_the_data_are_as_the_page_says(digits) -> None:
    train, test = digits
    assert train.images.shape == (1500, 8, 8)
    assert test.images.shape == (297, 8, 8)
    assert train.images.dtype == np.float32
    assert (train.images.min(), train.images.max()) == (0, 1)
    assert set(train.labels) == set(range(10))


def test_batches_are_the_same_for_the_same_seed_and_shuffled_after_each_pass(digits) -> None:
    first, again = (list(data.batches(digits[0], 46)) for _ in range(2))
    assert len(first) == 46
    assert all(np.array_equal(a.images, b.images) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].labels, first[23].labels)  # 23 batches are a pass
    other = next(data.batches(digits[0], 1, seed=1))
    assert not np.array_equal(first[0].labels, other.labels)


def test_before_training_logits_loss_and_gradients_agree(digits) -> None:
    model, _, net, _, state = start()
    batch = next(data.batches(digits[0], 1))
    images, labels = torch_batch(batch)
    logits = model(images)
    np.testing.assert_allclose(net(batch.images[..., None]), logits.detach(), atol=1e-5)
    torch.nn.functional.cross_entropy(logits, labels).backward()

    def loss_of(params):
        return in_jax.cross_entropy(
            in_jax.forward(params, state.statistics, batch.images)[0], batch.labels
        )

    grads = jax.jit(jax.grad(loss_of))(state.params)
    for name, parameter in model.named_parameters():
        np.testing.assert_allclose(grads[name], parameter.grad, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("way", ["nnx", "optax"])
def test_the_curves_agree_to_the_tolerance(run, way) -> None:
    assert settings.STEPS >= 200
    assert len(run.losses["torch"]) == settings.STEPS
    assert run.losses["torch"][0] > 2
    assert run.losses["torch"][-1] < 0.3
    np.testing.assert_allclose(
        run.losses[way], run.losses["torch"], rtol=0, atol=settings.TOLERANCE
    )


def test_evaluation_agrees(digits, run) -> None:
    images, _ = torch_batch(digits[1])
    run.model.eval()
    run.net.eval()
    answer = run.model(images).detach().numpy()
    by_module = np.asarray(run.net(digits[1].images[..., None]))
    by_function = np.asarray(
        in_jax.predict(run.state.params, run.state.statistics, digits[1].images)
    )
    run.model.train()
    run.net.train()
    for found in (by_module, by_function):
        np.testing.assert_allclose(found, answer, atol=1e-2)
        assert abs((found.argmax(1) == digits[1].labels).mean() - 0.93) < 0.05


def test_the_other_way_the_weights_fit_and_predict_the_same(digits, run) -> None:
    model = torch_module.DigitsNet()
    carried = {
        name: torch.tensor(array)
        for name, array in jax_nnx.state_dict(run.net, weights.FLATTENED).items()
    }
    # A dict without metadata counts as an old file, which has no count of batches.
    assert "batch_norm.num_batches_tracked" not in carried
    model.load_state_dict(carried)
    assert model.batch_norm.num_batches_tracked == 0
    model.eval()
    run.net.eval()
    found = model(torch_batch(digits[1])[0]).detach()
    np.testing.assert_allclose(found, run.net(digits[1].images[..., None]), atol=1e-4)
    run.net.train()


def test_in_float64_the_curves_agree_to_its_last_digits(digits) -> None:
    with jax.enable_x64(True):
        model, optimizer, *_ = start()
        model.double()
        optimizer = torch.optim.AdamW(model.parameters(), lr=settings.RATE)
        state = jax_optax.init(named(model))
        for batch in data.batches(digits[0], 20):
            wide = batch._replace(images=batch.images.astype(np.float64))
            expected = float(torch_module.train_step(model, optimizer, *torch_batch(wide)))
            state, loss = jax_optax.train_step(state, wide.images, wide.labels)
            assert loss.dtype == np.float64
            assert abs(float(loss) - expected) < 1e-12


def test_weights_that_do_not_fit_are_refused_and_change_nothing() -> None:
    _, _, net, *_ = start()
    before = jax_nnx.state_dict(net, weights.FLATTENED)
    wrong = dict(before)
    wrong["conv.weight"] = wrong["conv.weight"][:4]
    del wrong["output.bias"]
    wrong["pool.weight"] = np.ones(3)
    with pytest.raises(weights.WeightsError) as caught:
        jax_nnx.load_state_dict(net, wrong, weights.FLATTENED)
    for part in ("missing: output.bias", "unexpected: pool.scale", "wrong shape: conv.kernel"):
        assert part in str(caught.value)
    for name, array in jax_nnx.state_dict(net, weights.FLATTENED).items():
        np.testing.assert_array_equal(array, before[name])


def test_training_in_pytorch_does_not_write_into_the_weights_that_were_carried(digits) -> None:
    model, optimizer, net, _, state = start()
    kept = jax_nnx.state_dict(net, weights.FLATTENED)
    params = {name: np.array(value) for name, value in state.params.items()}
    torch_module.train_step(model, optimizer, *torch_batch(next(data.batches(digits[0], 1))))
    for name, array in jax_nnx.state_dict(net, weights.FLATTENED).items():
        np.testing.assert_array_equal(array, kept[name])
    for name, array in params.items():
        np.testing.assert_array_equal(state.params[name], array)


def test_a_step_of_the_plain_script_takes_the_memory_of_its_state(digits) -> None:
    *_, state = start()
    batch = next(data.batches(digits[0], 1))
    jax_optax.train_step(state, batch.images, batch.labels)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(state.params))


def test_with_sgd_the_curves_stay_closer(digits) -> None:
    """Gradient descent multiplies a gradient by the rate, and Adam makes small ones large."""
    import optax

    from jaxvstorch.examples.porting.jax import train_step

    model, *_, state = start()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    params, statistics, _ = state
    velocity = optax.tree.zeros_like(params)
    step = jax.jit(train_step)
    for batch in data.batches(digits[0], 60):
        expected = torch_module.train_step(model, optimizer, *torch_batch(batch))
        params, statistics, velocity, loss = step(
            params, statistics, velocity, batch.images, batch.labels
        )
        assert abs(float(loss) - float(expected)) < 1e-5


@pytest.mark.matrix
def test_with_three_times_the_rate_the_curves_part_further(digits, run, monkeypatch) -> None:
    import optax

    model, _, _, _, state = start()
    faster = optax.adamw(3 * settings.RATE, weight_decay=settings.WEIGHT_DECAY)
    monkeypatch.setattr(jax_optax, "OPTIMIZER", faster)
    jax.clear_caches()  # what was traced has the other optimizer
    step = jax_optax.train_step
    optimizer = torch.optim.AdamW(model.parameters(), lr=3 * settings.RATE)
    gap = 0.0
    for batch in data.batches(digits[0], settings.STEPS):
        expected = torch_module.train_step(model, optimizer, *torch_batch(batch))
        state, loss = step(state, batch.images, batch.labels)
        gap = max(gap, abs(float(loss) - float(expected)))
    assert 2 * abs(run.losses["optax"] - run.losses["torch"]).max() < gap < 1e-2
