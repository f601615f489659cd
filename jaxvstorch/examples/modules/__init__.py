"""Modules: layers and a small network, as plain functions and in three module libraries.

The halves are functions of a dict of weights. ``torch_module`` holds the same network as a
``torch.nn.Module``; ``jax_flax`` and ``jax_equinox`` hold it in these libraries. Each of the three
accepts the weights of ``weights`` and returns them.
"""
