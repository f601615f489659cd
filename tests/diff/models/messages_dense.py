"""The network with matrices in the place of edge lists: who sends how often to whom."""

import jax
import jax.numpy as jnp
from jax import Array


def gru(p: dict, x: Array, h: Array) -> Array:
    """Return the new state, by one product for the two gates."""
    size = h.shape[1]
    of_x = x @ p["weight_ih"].T + p["bias_ih"]
    of_h = h @ p["weight_hh"].T + p["bias_hh"]
    reset, update = jnp.split(jax.nn.sigmoid((of_x + of_h)[:, : 2 * size]), 2, axis=-1)
    new = jnp.tanh(of_x[:, 2 * size :] + reset * of_h[:, 2 * size :])
    return new + update * (h - new)


def layer(p: dict, h: Array, strength: Array) -> Array:
    """Send messages of all pairs, and sum them by ``strength`` (targets, sources)."""
    sending, receiving = jnp.split(p["message"]["weight"].T, 2)
    pairs = (h @ sending)[None, :] + (h @ receiving)[:, None] + p["message"]["bias"]
    total = jnp.einsum("ts,tsw->tw", strength, jax.nn.leaky_relu(pairs))
    return gru(p["update"], total, h)


def network(params: dict, nodes: Array, sources: Array, targets: Array, graph: Array) -> Array:
    """Return (3, 4) of nodes (nodes, features), edges and each node's graph."""
    size = len(nodes)
    adjacency = jnp.eye(size) + jax.nn.one_hot(targets, size).T @ jax.nn.one_hot(sources, size)
    root = jnp.sqrt(adjacency.sum(1))
    strength = adjacency / root[:, None] / root
    h = jnp.tanh(nodes @ params["embed"]["weight"].T + params["embed"]["bias"])
    for p in params["layers"]:
        h = layer(p, h, strength)
    member = jax.nn.one_hot(graph, 3).T
    mean = (member @ h) / member.sum(1, keepdims=True)
    return mean @ params["head"]["weight"].T + params["head"]["bias"]


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
