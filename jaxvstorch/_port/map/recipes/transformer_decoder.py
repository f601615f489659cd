"""A transformer decoder (TransformerDecoderLayer).

flax has no block ready: a block attends to what it has written so far, by a causal mask, and then
to the encoder's output, which is ``nnx.MultiHeadAttention``'s second argument. True in flax's mask
means attended to; in PyTorch's it means left out.
"""

PAGE = "modules"
TOLERANCE = 1e-4
NAMES = (
    "torch.nn.TransformerDecoderLayer",
    "torch.nn.TransformerDecoder",
    "torch.nn.Transformer",
    "nnx.make_causal_mask",
)


def with_torch():
    import torch

    layer = torch.nn.TransformerDecoderLayer(
        d_model=4, nhead=2, dim_feedforward=8, dropout=0.0, batch_first=True, norm_first=True
    )
    decoder = torch.nn.TransformerDecoder(layer, num_layers=2)
    for name, weight in decoder.named_parameters():
        torch.nn.init.constant_(weight, 0.1 if "norm" not in name else 1.0)
    x = torch.sin(torch.arange(12.0)).reshape(1, 3, 4)
    encoded = torch.cos(torch.arange(8.0)).reshape(1, 2, 4)
    mask = torch.ones(3, 3, dtype=torch.bool).triu(1)
    return decoder(x, encoded, tgt_mask=mask).detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, size, heads, hidden, *, rngs, **init):
            self.attention, self.to_encoded = (
                nnx.MultiHeadAttention(heads, size, decode=False, rngs=rngs, **init)
                for _ in range(2)
            )
            self.first, self.second, self.third = (
                nnx.LayerNorm(size, epsilon=1e-5, bias_init=nnx.initializers.ones, rngs=rngs)
                for _ in range(3)
            )
            self.up = nnx.Linear(size, hidden, rngs=rngs, **init)
            self.down = nnx.Linear(hidden, size, rngs=rngs, **init)

        def __call__(self, x, encoded, mask):
            x = x + self.attention(self.first(x), mask=mask)
            x = x + self.to_encoded(self.second(x), encoded)
            return x + self.down(nnx.relu(self.up(self.third(x))))

    tenth, rngs = nnx.initializers.constant(0.1), nnx.Rngs(0)
    blocks = [Block(4, 2, 8, kernel_init=tenth, bias_init=tenth, rngs=rngs) for _ in range(2)]
    x = jnp.sin(jnp.arange(12.0)).reshape(1, 3, 4)
    encoded = jnp.cos(jnp.arange(8.0)).reshape(1, 2, 4)
    mask = nnx.make_causal_mask(x[..., 0])
    for block in blocks:
        x = block(x, encoded, mask)
    return x
