"""Drafts in PyTorch of programs in JAX that draw: keys go away, and both draw the same numbers."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("flax.nnx", reason="flax is not installed")

THREE = "at parity: losses, gradients, weights after each of 3 calls, in float32"
VALUES = "at parity: values, in float32"


def test_dropout_in_a_batch_with_keys(drafted_from_jax) -> None:
    pytest.importorskip("equinox", reason="equinox is not installed")
    source, parity = drafted_from_jax("""
        import equinox as eqx
        import jax
        import jax.numpy as jnp
        import optax


        class Block(eqx.Module):
            linear: eqx.nn.Linear
            dropout: eqx.nn.Dropout

            def __init__(self, width, *, key):
                self.linear = eqx.nn.Linear(width, width, key=key)
                self.dropout = eqx.nn.Dropout(0.3)

            def __call__(self, x, key=None):
                return x + self.dropout(jax.nn.tanh(self.linear(x)), key=key)


        class Net(eqx.Module):
            blocks: list[Block]
            head: eqx.nn.MLP

            def __init__(self, width, depth, key):
                first, *keys = jax.random.split(key, depth + 1)
                self.blocks = [Block(width, key=k) for k in keys]
                self.head = eqx.nn.MLP(width, "scalar", 4, depth=1, key=first)

            def __call__(self, x, key=None):
                count = len(self.blocks)
                keys = [None] * count if key is None else jax.random.split(key, count)
                for block, k in zip(self.blocks, keys):
                    x = block(x, key=k)
                return self.head(x)


        @eqx.filter_value_and_grad
        def loss_fn(model, x, y, key):
            keys = jax.random.split(key, x.shape[0])
            return jnp.mean((jax.vmap(model)(x, keys) - y) ** 2)


        @eqx.filter_jit
        def evaluate(model, x, y):
            model = eqx.nn.inference_mode(model)
            return jnp.mean((jax.vmap(model)(x) - y) ** 2)


        @eqx.filter_jit
        def step(model, opt_state, optim, x, y, key):
            loss, grads = loss_fn(model, x, y, key)
            updates, opt_state = optim.update(grads, opt_state)
            return eqx.apply_updates(model, updates), opt_state, loss


        def main():
            data_key, model_key, key = jax.random.split(jax.random.key(0), 3)
            x = jax.random.normal(data_key, (6, 3))
            model = Net(3, 2, model_key)
            optim = optax.adam(1e-2)
            opt_state = optim.init(eqx.filter(model, eqx.is_array))
            for _ in range(3):
                key, sub = jax.random.split(key)
                model, opt_state, loss = step(model, opt_state, optim, x, x.sum(1), sub)
            print(loss, evaluate(model, x, x.sum(1)))


        if __name__ == "__main__":
            main()
        """)
    assert parity["step"] == THREE
    assert parity["evaluate"] == VALUES
    assert "nn.ModuleList([Block(width) for _ in range(depth)])" in source
    assert "for block in self.blocks:" in source
    assert 'torch.vmap(model, randomness="different")(x)' in source
    assert source.count("__name__") == 1


PURE = """
    import jax
    import jax.numpy as jnp
    import optax
    from jax import nn, random


    def init(key, n, m):
        first, second = random.split(key)
        scale = nn.initializers.glorot_uniform()
        return {"w": scale(first, (n, m)), "b": nn.initializers.zeros(second, (m,))}


    def loss_fn(params, x, key):
        noise, drop, order = random.split(key, 3)
        x = x + 0.1 * random.normal(noise, x.shape)
        x = random.permutation(order, x)
        kept = random.bernoulli(drop, 0.7, x.shape)
        logits = jnp.where(kept, x, 0.0) @ params["w"] + params["b"]
        return jnp.mean(logits[1:] ** 2) + random.uniform(noise, (), minval=1.0, maxval=2.0)


    def sample(params, key, x):
        return random.categorical(key, x @ params["w"] + params["b"])


    def walk(x, xs, key, n=3):
        def step(x, k):
            return x + random.normal(k, x.shape), None

        def turn(carry, inputs):
            x, key = carry
            y, k = inputs
            key, sub = random.split(key)
            x = x + y * random.normal(k, x.shape) + random.normal(sub, x.shape)
            return (x, key), x.sum()

        first, second = random.split(key)
        x, _ = jax.lax.scan(step, x, random.split(first, n))
        (x, _), sums = jax.lax.scan(turn, (x, second), (xs, random.split(first, len(xs))))
        return x, sums


    tx = OPTIMIZER


    @jax.jit
    def train(params, state, x, key):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, key)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss


    key = random.PRNGKey(0)
    params = init(key, 3, 2)
    state = tx.init(params)
    x = random.normal(key, (5, 3))
    for _ in range(3):
        key, sub = random.split(key)
        params, state, loss = train(params, state, x, sub)
    print(loss, sample(params, key, x), walk(x[0], x[:, 0], key))
"""


@pytest.mark.parametrize("made", ["optax.adam(1e-2)", "optax.rmsprop(5e-3, decay=0.99)"])
def test_functions_that_draw_by_keys(drafted_from_jax, made) -> None:
    source, parity = drafted_from_jax(PURE.replace("OPTIMIZER", made))
    assert parity["train"] == THREE
    assert parity["sample"] == VALUES
    assert parity["walk"] == VALUES
    assert "x, _ = scan(step, x, None, length=n)" in source
    assert "nn.init.xavier_uniform_(torch.empty((n, m)))" in source
    assert "def init(n, m):" in source
    assert "loss = train(params, optimizer, x)" in source


def test_draws_that_have_no_counterpart_are_not_compared(drafted_from_jax) -> None:
    _, parity = drafted_from_jax("""
        import jax

        def f(x, key):
            return x + jax.random.choice(key, x, x.shape)

        f(jax.numpy.ones(3), jax.random.key(0))
        """)
    assert parity["f"] == "not compared: it draws by torch.multinomial"


def test_a_generator_of_numpy_is_no_key(drafted_from_jax) -> None:
    source, _ = drafted_from_jax("""
        import jax.numpy as jnp
        import numpy as np

        def batch(rng, n):
            return rng.normal(size=n).astype(np.float32)

        print(jnp.sum(jnp.asarray(batch(np.random.default_rng(0), 3))))
        """)
    assert "def batch(rng, n):" in source


@pytest.mark.filterwarnings("ignore:optax.global_norm is deprecated")
def test_a_compact_module_with_a_schedule_and_names_of_its_call(drafted_from_jax) -> None:
    source, parity = drafted_from_jax("""
        import jax
        import jax.numpy as jnp
        import optax
        from flax import linen as nn
        from flax.training.train_state import TrainState


        class Block(nn.Module):
            rate: float = 0.2

            @nn.compact
            def __call__(self, x, deterministic):
                y = nn.Dense(2 * x.shape[-1])(x)
                y = nn.Dense(x.shape[-1])(nn.gelu(y))
                return x + nn.Dropout(self.rate)(y, deterministic=deterministic)


        class Net(nn.Module):
            @nn.compact
            def __call__(self, x, deterministic=True):
                for i in range(2):
                    x = Block(name=f"block_{i}")(x, deterministic)
                return nn.Dense(1)(x)


        def create_state(key, schedule):
            model = Net()
            params = model.init(key, jnp.ones((1, 3)))["params"]
            return TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(schedule))


        @jax.jit
        def train(state, x, key):
            def loss_fn(params):
                y = state.apply_fn({"params": params}, x, False, rngs={"dropout": key})
                return jnp.mean((y - 1) ** 2)

            loss, grads = jax.value_and_grad(loss_fn)(state.params)
            return state.apply_gradients(grads=grads), loss, optax.global_norm(grads)


        def score(params, apply_fn, x):
            return apply_fn({"params": params}, x).mean()


        if __name__ == "__main__":
            key = jax.random.key(0)
            schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 2, 20)
            state = create_state(key, schedule)
            x = jax.random.normal(key, (4, 3))
            for _ in range(3):
                key, sub = jax.random.split(key)
                state, loss, norm = train(state, x, sub)
            print(loss, norm, score(state.params, state.apply_fn, x))
        """)
    assert parity["train"].startswith("at parity: losses, ")
    assert parity["score"] == VALUES
    assert "score(state.model, x)" in source
    assert "def create_state():" in source
    assert "self.block_1 = Block()" in source
    assert "nn.Linear(3, 6)" in source


def test_what_a_program_says_of_itself_stays(drafted_from_jax) -> None:
    program = (
        "'''Adds things.\n\nIn several lines.\n'''\n# The settings.\nimport jax.numpy as jnp\n\n"
        "A = 1\nB = 2\n\n\n# What it is for.\ndef f(x):\n    return jnp.sum(x) + A + B\n\n\n"
        "print(f(jnp.ones(2)))\n"
    )
    source, _ = drafted_from_jax(program)
    assert source.startswith('"""Adds things.\n\nIn several lines.\n\nA draft of ')
    assert "# The settings.\n" in source
    assert "A = 1\nB = 2\n" in source
    assert "# What it is for.\ndef f(x):" in source


def test_a_name_that_nothing_makes_is_marked(drafted_from_jax) -> None:
    source, parity = drafted_from_jax("""
        import jax

        def f(x, key):
            if x.ndim > 3:
                return x + key.shape[0]
            return x + jax.random.uniform(key)

        print(f(jax.numpy.ones(2), jax.random.key(0)))
        """)
    assert "# TODO: key: the draft has no such name\n        return x + key.shape[0]" in source
    assert parity["f"] == VALUES


def test_a_draft_that_cannot_be_imported_says_so(drafted_from_jax, monkeypatch) -> None:
    monkeypatch.setenv("READ_ONCE", "1")
    _, parity = drafted_from_jax(
        """
        import os
        import jax

        SETTING = os.environ.pop("READ_ONCE")

        def f(x):
            return x + 1

        if __name__ == "__main__":
            f(jax.numpy.ones(2))
        """,
        runs=False,
    )
    assert parity == {"the draft": "cannot be imported: KeyError: 'READ_ONCE'"}
