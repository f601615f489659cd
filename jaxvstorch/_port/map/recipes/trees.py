"""Trees of arrays (pytrees).

``torch.utils._pytree`` is private, and the same idea. A module is no pytree in PyTorch; in JAX an
NNX module is one. JAX walks dictionaries by their sorted keys, PyTorch in their order. ``None`` is
a leaf in PyTorch, and no leaf in JAX.
"""

PAGE = "pytrees"
NAMES = (
    "torch.utils._pytree.tree_map",
    "torch.utils._pytree.tree_map_only",
    "torch.utils._pytree.tree_flatten",
    "torch.utils._pytree.tree_unflatten",
    "torch.utils._pytree.tree_leaves",
    "torch.utils._pytree.register_pytree_node",
    "jax.tree.map",
    "jax.tree.flatten",
    "jax.tree.unflatten",
    "jax.tree.leaves",
    "jax.tree_util.register_pytree_node",
)


def with_torch():
    import torch
    from torch.utils import _pytree

    tree = {"b": torch.tensor([1.0, 2.0]), "a": (torch.tensor(3.0), torch.tensor(4.0))}
    doubled = _pytree.tree_map(lambda x: 2 * x, tree)
    leaves, structure = _pytree.tree_flatten(doubled)
    again = _pytree.tree_unflatten(leaves, structure)
    same = _pytree.tree_structure(tree) == structure
    halved = _pytree.tree_map_only(torch.Tensor, lambda x: x / 2, {"x": torch.ones(2), "n": 3})
    return again, len(_pytree.tree_leaves(tree)), same, halved


def with_jax():
    import jax
    import jax.numpy as jnp

    tree = {"b": jnp.array([1.0, 2.0]), "a": (jnp.array(3.0), jnp.array(4.0))}
    doubled = jax.tree.map(lambda x: 2 * x, tree)
    leaves, structure = jax.tree.flatten(doubled)
    again = jax.tree.unflatten(structure, leaves)
    same = jax.tree.structure(tree) == structure
    halved = jax.tree.map(
        lambda x: x / 2 if isinstance(x, jax.Array) else x, {"x": jnp.ones(2), "n": 3}
    )
    return again, len(jax.tree.leaves(tree)), same, halved
