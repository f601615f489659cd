"""Multi-head attention.

In a mask of PyTorch's True means: not attended to. In one of flax True means: attended to. flax
takes the batch axis first, needs ``decode=False``, and returns the output alone: PyTorch's weights
of the attention come along unless ``need_weights=False``. Query, key and value have a kernel each,
of shape (embed_dim, heads, head_dim); PyTorch keeps one ``in_proj_weight``.
"""

PAGE = "memory-attention"
NAMES = ("torch.nn.MultiheadAttention", "nnx.MultiHeadAttention")


def with_torch():
    import torch

    x = torch.linspace(-1, 1, 24).reshape(1, 3, 8)
    attention = torch.nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
    for weight in (attention.in_proj_weight, attention.out_proj.weight):
        torch.nn.init.constant_(weight, 0.1)
    hidden = torch.tril(torch.ones(3, 3)) == 0  # True: not attended to
    output, _ = attention(x, x, x, attn_mask=hidden, need_weights=False)
    return output.detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    x = jnp.linspace(-1, 1, 24).reshape(1, 3, 8)
    attention = nnx.MultiHeadAttention(
        num_heads=2,
        in_features=8,
        kernel_init=nnx.initializers.constant(0.1),
        decode=False,
        rngs=nnx.Rngs(0),
    )
    seen = nnx.make_causal_mask(x[..., 0])  # True: attended to
    return attention(x, mask=seen)
