"""The gradients of losses to paste, where a loss has a kink or a number is infinite."""

import jax
import jax.numpy as jnp
import pytest

from jaxvstorch._port.map.paste import losses

torch = pytest.importorskip("torch", reason="the gradients are compared with PyTorch's")


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_gradients_of_smooth_l1_loss_at_no_error_and_at_one_that_is_not_finite(beta) -> None:
    numbers = [0.0, 0.5, 3.0, float("inf"), -float("inf"), float("nan")]
    ours = torch.tensor(numbers, requires_grad=True)
    torch.nn.functional.smooth_l1_loss(ours, torch.zeros(6), reduction="sum", beta=beta).backward()
    loss = jax.jit(jax.grad(losses.smooth_l1_loss), static_argnums=(2, 3))
    theirs = loss(jnp.array(numbers), jnp.zeros(6), "sum", beta)
    assert theirs.tolist() == pytest.approx(ours.grad.tolist(), nan_ok=True)


def test_a_square_beyond_float16_is_no_infinite_smooth_l1_loss() -> None:
    error = jnp.array(300.0, "float16")
    assert losses.smooth_l1_loss(error, error * 0, "mean", 1000.0) == 45


def test_the_gradient_of_triplet_margin_loss_where_the_margin_is_just_kept() -> None:
    points = ([[0.0, 0.0]], [[3.0, 4.0]], [[0.0, 6.0]])  # at distances of 5 and 6
    options = {"margin": 1.0, "p": 2.0, "eps": 0.0, "swap": False, "reduction": "mean"}
    ours = torch.tensor(points[0], requires_grad=True)
    others = map(torch.tensor, points[1:])
    torch.nn.functional.triplet_margin_loss(ours, *others, **options).backward()
    anchor, *others = map(jnp.array, points)
    theirs = jax.grad(losses.triplet_margin_loss)(anchor, *others, **options)
    assert theirs.ravel().tolist() == pytest.approx(ours.grad.ravel().tolist())
