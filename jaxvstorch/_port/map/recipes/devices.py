"""Choose a device (.to(device), cuda).

JAX puts arrays on the GPU by itself. ``jax.device_put`` moves an array, or a pytree of arrays such
as the weights of a model; ``jax.default_device`` chooses for a block.
"""

PAGE = "indexing_dtypes-products"
NAMES = (
    "torch.device",
    "Tensor.device",
    "Tensor.cuda",
    "Tensor.is_cuda",
    "Tensor.get_device",
    "Module.to",
    "Module.cuda",
    "torch.cuda.is_available",
    "torch.cuda.device_count",
    "torch.cuda.current_device",
    "torch.cuda.set_device",
    "torch.set_default_device",
    "torch.get_default_device",
    "torch.accelerator.is_available",
    "torch.accelerator.current_accelerator",
    "torch.accelerator.device_count",
    "jax.device_put",
    "jax.devices",
    "jax.default_device",
    "jax.default_backend",
)


def with_torch():
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = torch.nn.Linear(2, 1).to(device)
    x = torch.ones(3, 2, device=device)
    on_host = x.to("cpu")
    return model(x).device == x.device, on_host.device.type == "cpu", len(on_host)


def with_jax():
    import jax
    import jax.numpy as jnp
    from flax import nnx

    device = jax.devices()[0]  # a GPU or TPU where there is one
    model = jax.device_put(nnx.Linear(2, 1, rngs=nnx.Rngs(0)), device)
    x = jnp.ones((3, 2), device=device)
    on_host = jax.device_put(x, jax.devices("cpu")[0])
    return model(x).device == x.device, on_host.device.platform == "cpu", len(on_host)
