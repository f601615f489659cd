"""Mixed precision (autocast).

``autocast`` chooses a dtype for each operation. In flax a layer computes in its ``dtype`` and keeps
its weights in its ``param_dtype``; in plain JAX, cast what a product takes. Softmax and losses stay
in float32, where you cast back.
"""

PAGE = "precision"
NAMES = (
    "torch.amp.autocast",
    "torch.autocast",
    "torch.cuda.amp.autocast",
    "torch.is_autocast_enabled",
    "torch.get_autocast_dtype",
    "torch.get_autocast_gpu_dtype",
)


def with_torch():
    import torch

    model = torch.nn.Linear(4, 2)
    torch.nn.init.constant_(model.weight, 0.1)
    torch.nn.init.zeros_(model.bias)
    x = torch.linspace(0, 1, 8).reshape(2, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = model(x)
    loss = output.float().mean()
    loss.backward()
    return output.element_size(), model.weight.grad.element_size(), loss.detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    model = nnx.Linear(
        4,
        2,
        dtype=jnp.bfloat16,  # computes in
        param_dtype=jnp.float32,  # keeps its weights in
        kernel_init=nnx.initializers.constant(0.1),
        rngs=nnx.Rngs(0),
    )
    x = jnp.linspace(0, 1, 8).reshape(2, 4)

    def loss(model):
        output = model(x)
        return output.astype(jnp.float32).mean(), output

    (value, output), gradients = nnx.value_and_grad(loss, has_aux=True)(model)
    return output.itemsize, gradients.kernel[...].itemsize, value
