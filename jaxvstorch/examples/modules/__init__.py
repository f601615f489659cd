"""Layers and a small network, written as plain functions and in three module libraries.

The halves are functions on a dict of weights. ``torch_module`` holds the same network as a
``torch.nn.Module``, ``jax_flax`` and ``jax_equinox`` hold it in these libraries. Each of the three
takes the weights of ``weights`` and gives them back.
"""
