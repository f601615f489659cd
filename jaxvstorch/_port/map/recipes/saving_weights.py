"""Save and load the weights of a model.

``torch.save`` writes a dictionary of names. In JAX the state of a model is a pytree: orbax writes
it into a folder, and restores it into a state of the same structure. ``safetensors`` writes one
file that both frameworks read.
"""

PAGE = "checkpoints"
NAMES = (
    "Module.state_dict",
    "Module.load_state_dict",
    "torch.save",
    "torch.load",
    "nnx.state",
    "nnx.update",
    "nnx.to_pure_dict",
)


def with_torch():
    import tempfile

    import torch

    model = torch.nn.Linear(2, 1)
    torch.nn.init.constant_(model.weight, 0.5)
    other = torch.nn.Linear(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), f"{folder}/model.pt")
        other.load_state_dict(torch.load(f"{folder}/model.pt"))
    return other.weight.detach().T


def with_jax():
    import tempfile

    import orbax.checkpoint as ocp
    from flax import nnx

    model = nnx.Linear(2, 1, kernel_init=nnx.initializers.constant(0.5), rngs=nnx.Rngs(0))
    other = nnx.Linear(2, 1, rngs=nnx.Rngs(1))
    with tempfile.TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(f"{folder}/model", nnx.state(model))
        checkpointer.wait_until_finished()
        state = checkpointer.restore(f"{folder}/model", nnx.state(other))
    nnx.update(other, state)
    return other.kernel[...]
