"""The network as functions of a dict of weights, with segment sums."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.ops import segment_sum


def linear(p: dict, x: Array) -> Array:
    """Apply weights that are stored as (outputs, inputs)."""
    return x @ p["weight"].T + p["bias"]


def gru(p: dict, x: Array, h: Array) -> Array:
    """Return the new state; PyTorch stacks the gates as reset, update and new."""
    x_reset, x_update, x_new = jnp.split(x @ p["weight_ih"].T + p["bias_ih"], 3, axis=-1)
    h_reset, h_update, h_new = jnp.split(h @ p["weight_hh"].T + p["bias_hh"], 3, axis=-1)
    reset = jax.nn.sigmoid(x_reset + h_reset)
    update = jax.nn.sigmoid(x_update + h_update)
    new = jnp.tanh(x_new + reset * h_new)
    return (1 - update) * new + update * h


def layer(p: dict, h: Array, sources: Array, targets: Array, weight: Array) -> Array:
    """Send a message along each edge; the sum of what arrives updates a node's state."""
    pairs = jnp.concatenate([h[sources], h[targets]], axis=-1)
    m = jax.nn.leaky_relu(linear(p["message"], pairs))
    m = m * weight[:, None]
    total = segment_sum(m, targets, len(h))
    return gru(p["update"], total, h)


def network(params: dict, nodes: Array, sources: Array, targets: Array, graph: Array) -> Array:
    """Return (3, 4) of nodes (nodes, features), edges and each node's graph."""
    loops = jnp.arange(len(nodes))
    sources, targets = jnp.append(sources, loops), jnp.append(targets, loops)
    ones = jnp.ones(len(targets))
    degree = segment_sum(ones, targets, len(nodes))
    weight = jax.lax.rsqrt(degree[sources] * degree[targets])
    h = jnp.tanh(linear(params["embed"], nodes))
    for p in params["layers"]:
        h = layer(p, h, sources, targets, weight)
    sums = segment_sum(h, graph, 3)
    sizes = jnp.bincount(graph, length=3)
    return linear(params["head"], sums / sizes[:, None])


def make(model):
    """Return the function and the PyTorch model's weights."""

    def weights(module) -> dict:
        return {name: jnp.array(value.numpy()) for name, value in module.state_dict().items()}

    layers = [{"message": weights(x.message), "update": weights(x.update)} for x in model.layers]
    return network, {
        "embed": weights(model.embed),
        "layers": layers,
        "head": weights(model.head),
    }
