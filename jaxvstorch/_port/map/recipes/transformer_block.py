"""A transformer block (TransformerEncoderLayer).

flax has no block ready: write it from attention, norms and linear layers. PyTorch's norm comes
after each part unless ``norm_first=True``, its activation is ReLU, and its epsilon 1e-5, where
flax's is 1e-6.
"""

PAGE = "modules"
TOLERANCE = 1e-4
NAMES = (
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerEncoder",
    "nnx.LayerNorm",
)


def with_torch():
    import torch

    layer = torch.nn.TransformerEncoderLayer(
        d_model=4, nhead=2, dim_feedforward=8, dropout=0.0, batch_first=True, norm_first=True
    )
    encoder = torch.nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
    for name, weight in encoder.named_parameters():
        torch.nn.init.constant_(weight, 0.1 if "norm" not in name else 1.0)
    return encoder(torch.sin(torch.arange(12.0)).reshape(1, 3, 4)).detach()


def with_jax():
    import jax.numpy as jnp
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, size, heads, hidden, *, rngs, **init):
            self.attention = nnx.MultiHeadAttention(heads, size, decode=False, rngs=rngs, **init)
            self.first, self.second = (
                nnx.LayerNorm(size, epsilon=1e-5, bias_init=nnx.initializers.ones, rngs=rngs)
                for _ in range(2)
            )
            self.up = nnx.Linear(size, hidden, rngs=rngs, **init)
            self.down = nnx.Linear(hidden, size, rngs=rngs, **init)

        def __call__(self, x):
            x = x + self.attention(self.first(x))
            return x + self.down(nnx.relu(self.up(self.second(x))))

    tenth, rngs = nnx.initializers.constant(0.1), nnx.Rngs(0)
    blocks = [Block(4, 2, 8, kernel_init=tenth, bias_init=tenth, rngs=rngs) for _ in range(2)]
    x = jnp.sin(jnp.arange(12.0)).reshape(1, 3, 4)
    for block in blocks:
        x = block(x)
    return x
