"""Choose the kernel of attention (sdpa_kernel).

``jax.nn.dot_product_attention`` takes (batch, length, heads, size), PyTorch (batch, heads, length,
size). ``implementation="cudnn"`` is the flash kernel of a GPU; ``"xla"`` runs anywhere, and is the
default.
"""

PAGE = "memory-attention"
NAMES = (
    "torch.nn.attention.sdpa_kernel",
    "torch.nn.attention.SDPBackend",
    "torch.nn.attention.SDPBackend.MATH",
    "torch.nn.attention.SDPBackend.FLASH_ATTENTION",
    "torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION",
    "torch.backends.cuda.sdp_kernel",
    "jax.nn.dot_product_attention",
)


def with_torch():
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    x = torch.sin(torch.arange(24.0)).reshape(1, 3, 2, 4).transpose(1, 2)
    with sdpa_kernel(SDPBackend.MATH):
        result = torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
    return result.transpose(1, 2)


def with_jax():
    import jax
    import jax.numpy as jnp

    x = jnp.sin(jnp.arange(24.0)).reshape(1, 3, 2, 4)
    return jax.nn.dot_product_attention(x, x, x, is_causal=True, implementation="xla")
