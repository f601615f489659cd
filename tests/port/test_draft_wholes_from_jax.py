"""Drafts in PyTorch of whole programs in JAX, in styles of other people."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

THREE = "at parity: losses, gradients, weights after each of 3 calls, in float32"

_METRICS = """
import jax
import numpy as np
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.out = nnx.Linear(4, 3, rngs=rngs)

    def __call__(self, x):
        return self.out(x)


def loss_fn(model, batch):
    logits = model(batch["x"])
    labels = batch["label"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), logits


def make_step(scale):
    @nnx.jit
    def step(model, optimizer, metrics, batch):
        def scaled(model):
            loss, logits = loss_fn(model, batch)
            return scale * loss, logits

        (loss, logits), grads = nnx.value_and_grad(scaled, has_aux=True)(model)
        metrics.update(loss=loss, logits=logits, labels=batch["label"])
        optimizer.update(model, grads)
        return loss

    return step


def main():
    rng = np.random.default_rng(0)
    model = Net(nnx.Rngs(0))
    rate = 0.1
    optimizer = nnx.Optimizer(model, optax.adam(rate), wrt=nnx.Param)
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))
    step = make_step(0.5)
    for _ in range(4):
        batch = {"x": rng.normal(size=(6, 4)), "label": rng.integers(0, 3, size=6)}
        step(model, optimizer, metrics, batch)
    print({name: float(value) for name, value in metrics.compute().items()})


main()
"""


def test_a_step_inside_of_a_function_takes_metrics_and_dictionaries(drafted_from_jax) -> None:
    source, parity = drafted_from_jax(_METRICS)
    assert parity["make_step.step"] == THREE
    assert 'MultiMetric(accuracy=Accuracy(), loss=Average("loss"))' in source
    assert "# TODO" not in source


_LINEN = """
import jax
import jax.numpy as np
import optax
from flax import linen as nn
from flax.training.train_state import TrainState


def scaled(key, shape):
    return 0.1 * jax.random.normal(key, shape)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        a = self.param("a", scaled, (4, 4))
        b = self.param("b", lambda key, shape: 0.5 * np.ones(shape), (4,))
        c = self.param("c", nn.initializers.delta_orthogonal(), (1, 4, 4))
        if x.ndim > 5:
            x = np.piecewise(x, [x > 0], [1.0, 2.0]) + nn.SpectralNorm()(x)
        return nn.LayerNorm()(nn.Dense(4)(x @ a @ c[0]) * b)


@jax.jit
def train_step(state, x):
    def loss_fn(params):
        return np.mean((state.apply_fn({"params": params}, x) - 1.0) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


net = Net()
x = jax.random.normal(jax.random.key(1), (6, 4))
weights = net.init(jax.random.key(0), x)["params"]
tx = optax.adamw(1e-2, weight_decay=0.1,
                 mask=lambda p: jax.tree.map(lambda w: w.ndim > 1, p))
state = TrainState.create(apply_fn=net.apply, params=weights, tx=tx)
for _ in range(4):
    state, loss = train_step(state, x)
print(loss)
"""


def test_first_weights_masks_and_names_that_both_have(drafted_from_jax) -> None:
    source, parity = drafted_from_jax(_LINEN)
    assert parity["train_step"] == THREE
    assert "decayed = [p for name, p in net.named_parameters() if p.ndim > 1]" in source
    assert "self.a = nn.Parameter(scaled((4, 4)))" in source
    assert "self.b = nn.Parameter(0.5 * torch.ones((4,)))" in source
    marks = [line.strip() for line in source.splitlines() if "# TODO" in line]
    said = ["nn.initializers.delta_orthogonal()", "jnp.piecewise", "flax.linen.SpectralNorm"]
    assert [mark.removeprefix("# TODO: ").partition(": ")[0] for mark in marks] == said
    assert "jnp.piecewise(x" in source
    assert "linen.SpectralNorm()" in source


def test_layers_under_vmap_and_leaves_of_a_module(drafted_from_jax) -> None:
    pytest.importorskip("equinox", reason="equinox is not installed")
    source, parity = drafted_from_jax("""
        import equinox as eqx
        import jax
        import jax.numpy as jnp
        import optax


        class Net(eqx.Module):
            first: eqx.nn.Linear
            rest: list

            def __init__(self, depth, key):
                keys = jax.random.split(key, depth + 1)
                self.first = eqx.nn.Linear(3, 4, key=keys[0])
                self.rest = [eqx.nn.Linear(4, 4, key=k) for k in keys[1:]]

            def __call__(self, x):
                x = jax.vmap(self.first)(x)
                for layer in self.rest:
                    x = jnp.tanh(jax.vmap(layer)(x))
                return x


        @eqx.filter_jit
        def step(model, state, optim, x):
            loss, grads = eqx.filter_value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
            updates, state = optim.update(grads, state, eqx.filter(model, eqx.is_array))
            return eqx.apply_updates(model, updates), state, loss


        model = Net(2, jax.random.key(0))
        print(sum(p.size for p in jax.tree.leaves(eqx.filter(model, eqx.is_array))))
        optim = optax.adam(1e-2)
        state = optim.init(eqx.filter(model, eqx.is_array))
        x = jax.random.normal(jax.random.key(1), (5, 3))
        for _ in range(6):
            model, state, loss = step(model, state, optim, x)
        print(loss)
        """)
    assert parity["step"] == THREE
    assert "for _ in range(depth)" in source
    assert "p.numel() for p in tree_leaves(list(model.parameters()))" in source
    assert "# TODO" not in source


def test_cells_of_linen_and_metrics_in_a_dictionary(drafted_from_jax) -> None:
    source, parity = drafted_from_jax("""
        import flax.linen as nn
        import jax
        import jax.numpy as jnp
        import optax
        from flax.training import train_state


        class Reader(nn.Module):
            size: int = 6

            def setup(self):
                self.cell = nn.OptimizedLSTMCell(self.size)
                self.head = nn.Dense(2)

            def __call__(self, xs):
                carry = self.cell.initialize_carry(jax.random.PRNGKey(0), xs[:, 0].shape)
                for t in range(xs.shape[1]):
                    carry, y = self.cell(carry, xs[:, t])
                return self.head(y)


        @jax.jit
        def train_step(state, xs):
            def loss_fn(params):
                return jnp.mean((state.apply_fn({"params": params}, xs) - 1.0) ** 2)

            loss, grads = jax.value_and_grad(loss_fn)(state.params)
            return state.apply_gradients(grads=grads), {"loss": loss}


        def train(steps):
            model = Reader()
            xs = jax.random.normal(jax.random.key(1), (5, 3, 4))
            params = model.init(jax.random.key(0), xs)["params"]
            tx = optax.adam(3e-3)
            state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)
            for _ in range(steps):
                state, metrics = train_step(state, xs)
            print(float(metrics["loss"]))


        train(4)
        """)
    assert parity["train_step"] == THREE
    assert parity["train"] == "not compared: it takes no array"
    assert "LSTMCell(4, self.size)" in source
    assert '{"loss": loss.detach()}' in source
    assert source.count("torch.manual_seed") == 1


def test_checkpoints_and_gradients_for_another_function_are_marked(drafted_from_jax) -> None:
    pytest.importorskip("orbax.checkpoint", reason="orbax is not installed")
    program = _LINEN.replace("delta_orthogonal()", "orthogonal()").replace(
        "    return state.apply_gradients(grads=grads), loss\n",
        "    return grads, loss\n\n\n"
        "@jax.jit\ndef update(state, grads):\n    return state.apply_gradients(grads=grads)\n\n\n"
        "def save(path, state):\n    ocp.PyTreeCheckpointer().save(path, state)\n",
    )
    program = program.replace("import jax\n", "import jax\nimport orbax.checkpoint as ocp\n", 1)
    program = program.replace(
        "    state, loss = train_step(state, x)",
        "    grads, loss = train_step(state, x)\n    state = update(state, grads)",
    )
    source, parity = drafted_from_jax(program, runs=False)
    assert "# TODO: the gradients of a model that another function steps with" in source
    assert "# TODO: orbax.checkpoint.PyTreeCheckpointer: `torch.save({'model'" in source
    assert not parity["train_step"].startswith("at parity")
