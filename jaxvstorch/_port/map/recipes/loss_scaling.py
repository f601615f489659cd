"""Scale the loss for float16 (GradScaler).

Small gradients become 0 in float16. ``GradScaler`` multiplies the loss, divides the gradients, and
skips a step whose gradients are infinite; in JAX these are three lines, and a mask in the update.
bfloat16 needs none of it.
"""

PAGE = "precision"
NAMES = ("torch.amp.GradScaler", "torch.cuda.amp.GradScaler", "torch.amp.grad_scaler.GradScaler")


def with_torch():
    import torch

    weight = torch.nn.Parameter(torch.tensor(2.0))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for x in (1e-5, 1e3):  # with the second one the scaled gradient is infinite
        optimizer.zero_grad()
        loss = (weight.half() * x).float()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return weight.detach(), scaler.get_scale()


def with_jax():
    import jax
    import jax.numpy as jnp
    import optax

    weight, scale = jnp.array(2.0), 1024.0
    tx = optax.sgd(0.1)
    state = tx.init(weight)

    def scaled_loss(weight, x, scale):
        return scale * (weight.astype(jnp.float16) * x).astype(jnp.float32)

    for x in (1e-5, 1e3):
        gradient = jax.grad(scaled_loss)(weight, x, scale) / scale
        finite = jnp.isfinite(gradient)
        updates, new_state = tx.update(gradient, state, weight)
        weight = jnp.where(finite, weight + updates, weight)
        state = jax.tree.map(lambda new, old, ok=finite: jnp.where(ok, new, old), new_state, state)
        scale = jnp.where(finite, scale, scale / 2)
    return weight, scale
