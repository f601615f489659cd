"""Llama as transformers has it, in flax NNX, with its names: grouped heads, rotary positions."""

# mypy: allow-subclassing-any

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array
from jaxtyping import Float, Int

from jaxvstorch.examples.porting.jax import rotate


@dataclass(frozen=True)
class Settings:
    """The settings of transformers' ``LlamaConfig`` that decide shapes and numbers."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    rope_theta: float
    rms_norm_eps: float
    param_dtype: Any = jnp.float32


def linear(inputs: int, outputs: int, config: Settings, rngs: nnx.Rngs) -> nnx.Linear:
    """A layer without a bias."""
    return nnx.Linear(inputs, outputs, use_bias=False, param_dtype=config.param_dtype, rngs=rngs)


def norm(config: Settings, rngs: nnx.Rngs) -> nnx.RMSNorm:
    """RMS norm of the hidden numbers."""
    return nnx.RMSNorm(config.hidden_size, epsilon=config.rms_norm_eps,
                       param_dtype=config.param_dtype, rngs=rngs)  # fmt: skip


class Attention(nnx.Module):
    """Causal attention, with fewer heads of keys and values than of queries."""

    def __init__(self, config: Settings, rngs: nnx.Rngs) -> None:
        width, self.theta = config.hidden_size, config.rope_theta
        self.size = width // config.num_attention_heads
        keys = self.size * config.num_key_value_heads
        self.q_proj = linear(width, width, config, rngs)
        self.k_proj = linear(width, keys, config, rngs)
        self.v_proj = linear(width, keys, config, rngs)
        self.o_proj = linear(width, width, config, rngs)

    def __call__(self, x: Float[Array, "n l width"]) -> Float[Array, "n l width"]:
        """The layer's result."""
        q, k, v = (
            project(x).reshape(*x.shape[:2], -1, self.size)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        frequencies = self.theta ** (-jnp.arange(0, self.size, 2) / self.size)
        q, k = rotate(q, frequencies), rotate(k, frequencies)
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(mixed.reshape(x.shape))


class Mlp(nnx.Module):
    """Two projections, one of them a gate, and one back."""

    def __init__(self, config: Settings, rngs: nnx.Rngs) -> None:
        width, inner = config.hidden_size, config.intermediate_size
        self.gate_proj = linear(width, inner, config, rngs)
        self.up_proj = linear(width, inner, config, rngs)
        self.down_proj = linear(inner, width, config, rngs)

    def __call__(self, x: Float[Array, "n l width"]) -> Float[Array, "n l width"]:
        """The layer's result."""
        return self.down_proj(jax.nn.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nnx.Module):
    """Attention and MLP, each after a norm and added to its input."""

    def __init__(self, config: Settings, rngs: nnx.Rngs) -> None:
        self.input_layernorm = norm(config, rngs)
        self.self_attn = Attention(config, rngs)
        self.post_attention_layernorm = norm(config, rngs)
        self.mlp = Mlp(config, rngs)

    def __call__(self, x: Float[Array, "n l width"]) -> Float[Array, "n l width"]:
        """The layer's result."""
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nnx.Module):
    """Logits of the next token; the embedding is also the last layer (tied weights)."""

    def __init__(self, config: Settings, rngs: nnx.Rngs) -> None:
        self.embed_tokens = nnx.Embed(config.vocab_size, config.hidden_size,
                                      param_dtype=config.param_dtype, rngs=rngs)  # fmt: skip
        layers = [Layer(config, rngs) for _ in range(config.num_hidden_layers)]
        self.layers = nnx.List(layers)
        self.norm = norm(config, rngs)

    def __call__(self, tokens: Int[Array, "n l"]) -> Float[Array, "n l vocab"]:
        """The logits at each position."""
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.embed_tokens.attend(self.norm(x))
