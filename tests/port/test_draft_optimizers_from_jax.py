"""Drafts in PyTorch of programs in JAX: their optimizers, first weights, and what stays of JAX."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

THREE = "at parity: losses, gradients, weights after each of 3 calls, in float32"
_TREE = """
import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] + params["b"] - 1.0) ** 2)


def is_matrix(params):
    return jax.tree.map(lambda p: p.ndim > 1, params)


def kinds(params):
    return jax.tree.map(lambda p: "matrix" if p.ndim > 1 else "vector", params)


tx = {optimizer}


@jax.jit
def update(params, opt_state, x):
    loss, grads = jax.value_and_grad(loss_fn)(params, x)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


if __name__ == "__main__":
    k, l, m = jax.random.split(jax.random.key(0), 3)
    params = {{
        "w": jax.random.normal(k, (3, 4)), "v": jax.random.normal(l, (4, 2)), "b": jnp.ones(2)
    }}
    x = jax.random.normal(m, (5, 3))
    opt_state = tx.init(params)
    for _ in range(4):
        params, opt_state, loss = update(params, opt_state, x)
    print(loss)
"""


@pytest.mark.parametrize(
    ("optimizer", "part"),
    [
        (
            "optax.multi_transform({'matrix': optax.adamw(1e-2), 'vector': optax.sgd(0.1)}, kinds)",
            "optimizer = Optimizers(matrix_optimizer, vector_optimizer)",
        ),
        (
            "optax.multi_transform({'matrix': optax.adam(0.1), 'vector': optax.set_to_zero()},"
            " kinds)",
            "torch.optim.SGD(vector_parameters, lr=0.0)",
        ),
        ("optax.MultiSteps(optax.adam(1e-2), every_k_schedule=2)", "MultiSteps(optimizer, 2)"),
        ("optax.apply_if_finite(optax.adam(0.1), 3)", "StepsIfFinite(optimizer, 3)"),
        ("optax.adamw(1e-2, weight_decay=0.1, mask=is_matrix)", '"weight_decay": 0.0}]'),
        (
            "optax.chain(optax.add_decayed_weights(0.1), optax.sgd(0.1, 0.9))",
            "p.grad.add_(p.detach(), alpha=0.1)",
        ),
        (
            "optax.chain(optax.masked(optax.add_decayed_weights(0.1), is_matrix), optax.sgd(0.1))",
            "for p in decayed",
        ),
        (
            "optax.chain(optax.adam(0.1), optax.masked(optax.set_to_zero(), is_matrix))",
            '{"params": frozen, "lr": 0.0}',
        ),
        (
            "optax.chain(optax.clip_by_global_norm(0.1), optax.scale_by_adam(b2=0.9),"
            " optax.add_decayed_weights(0.1), optax.scale(-0.01))",
            "torch.optim.AdamW(",
        ),
        (
            "optax.chain(optax.trace(0.9), optax.scale_by_schedule("
            "optax.exponential_decay(0.1, 2, 0.5)), optax.scale(-1.0))",
            "lambda step: exponential_decay(step, 0.1, 2, 0.5",
        ),
        (
            "optax.sgd(optax.join_schedules([optax.linear_schedule(0.0, 0.1, 2),"
            " optax.cosine_decay_schedule(0.1, 9)], [2]))",
            "lr_lambda=joined(",
        ),
        ("optax.sgd(optax.piecewise_constant_schedule(0.1, {1: 0.5}))", "lr_scheduler.LambdaLR("),
        ("optax.sgd(lambda step: 0.1 / (step + 1))", "lambda step: float("),
        ("optax.inject_hyperparams(optax.adam)(learning_rate=0.1)", "lr=0.1"),
    ],
)
def test_an_optimizer_steps_as_that_of_the_program(drafted_from_jax, optimizer, part) -> None:
    source, parity = drafted_from_jax(_TREE.format(optimizer=optimizer))
    assert parity["update"] in (THREE, THREE.replace(" gradients,", ""))
    assert part in source
    assert "# TODO" not in source


def test_a_function_that_makes_an_optimizer_takes_the_weights(drafted_from_jax) -> None:
    program = _TREE.format(optimizer="make_optimizer(0.1)").replace(
        "tx = make",
        "def make_optimizer(rate):\n"
        "    return optax.chain(optax.clip(0.5), optax.sgd(rate))\n\n\ntx = make",
    )
    source, parity = drafted_from_jax(program)
    assert parity["update"] == THREE.replace(" gradients,", "")
    assert "optimizer = make_optimizer(params, 0.1)" in source
    assert "def make_optimizer(params, rate):" in source


def test_what_stays_of_an_optimizer_is_marked_and_the_draft_can_be_imported(
    drafted_from_jax,
) -> None:
    program = _TREE.format(optimizer="optax.lion(1e-3)") + "\n\nWAYS = 1\n"
    program = program.replace("tx = optax", "WAYS = {'lion': optax.lion}\ntx = optax")
    source, parity = drafted_from_jax(program)
    assert "# WAYS = {'lion': optax.lion}\nWAYS = None" in source
    assert "# TODO: optax.lion has no counterpart in torch.optim" in source
    assert parity["update"].startswith("not at parity")
