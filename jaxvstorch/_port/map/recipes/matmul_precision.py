"""Precision of float32 products (TF32).

``jax_default_matmul_precision`` is one setting for products and convolutions; ``precision=`` of a
call, or ``jax.default_matmul_precision`` around some, comes before it. On a CPU all are float32.
"""

PAGE = "precision-settings"
NAMES = (
    "torch.set_float32_matmul_precision",
    "torch.get_float32_matmul_precision",
    "torch.backends.cuda.matmul.allow_tf32",
    "torch.backends.cudnn.allow_tf32",
    "jax.default_matmul_precision",
)


def with_torch():
    import torch

    torch.set_float32_matmul_precision("high")
    result = torch.ones(2, 3) @ torch.ones(3, 2)
    known = torch.get_float32_matmul_precision() == "high"
    torch.set_float32_matmul_precision("highest")
    return result, known


def with_jax():
    import jax
    import jax.numpy as jnp

    with jax.default_matmul_precision("tensorfloat32"):
        result = jnp.ones((2, 3)) @ jnp.ones((3, 2))
        known = jax.config.jax_default_matmul_precision == "tensorfloat32"
    # for the whole program: jax.config.update("jax_default_matmul_precision", "tensorfloat32")
    return result, known
