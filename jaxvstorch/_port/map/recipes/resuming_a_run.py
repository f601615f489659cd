"""Save and resume a training run.

Weights, the optimizer's state, the step and the random state belong together. In JAX they are one
pytree, and a key is one of its arrays.
"""

PAGE = "checkpoints-resuming"
NAMES = (
    "Optimizer.state_dict",
    "Optimizer.load_state_dict",
    "torch.get_rng_state",
    "torch.set_rng_state",
    "jax.random.key_data",
    "jax.random.wrap_key_data",
)


def with_torch():
    import io

    import torch

    def start():
        weight = torch.nn.Parameter(torch.tensor(2.0))
        return weight, torch.optim.Adam([weight], lr=0.1)

    def train(weight, optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            (weight**2).backward()
            optimizer.step()

    weight, optimizer = start()
    train(weight, optimizer, 2)
    file = io.BytesIO()
    run = {"weight": weight, "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save(run, file)

    file.seek(0)
    saved = torch.load(file)
    weight, optimizer = start()
    weight.data.copy_(saved["weight"])
    optimizer.load_state_dict(saved["optimizer"])
    torch.set_rng_state(saved["rng"])
    train(weight, optimizer, 2)
    return weight.detach()


def with_jax():
    import pickle

    import jax
    import jax.numpy as jnp
    import optax

    tx = optax.adam(0.1)

    def train(run, steps):
        for _ in range(steps):
            gradient = jax.grad(lambda w: w**2)(run["weight"])
            updates, run["state"] = tx.update(gradient, run["state"])
            run["weight"] = optax.apply_updates(run["weight"], updates)
        return run

    weight = jnp.array(2.0)
    key = jax.random.key_data(jax.random.key(0))
    run = train({"weight": weight, "state": tx.init(weight), "key": key}, 2)
    saved = pickle.dumps(jax.device_get(run))  # orbax for large models

    run = train(pickle.loads(saved), 2)
    key = jax.random.wrap_key_data(run["key"])  # for the draws that follow
    return run["weight"]
