"""Porting a training loop: a small classifier of digits as a PyTorch and as a JAX script.

``jax.py`` and ``torch.py`` hold its parts as functions of arrays, in PyTorch's layout.
``torch_module.py`` and ``jax_nnx.py`` are the script as people write it, with a module and an
optimizer; ``jax_optax.py`` is the JAX script without modules. ``weights.py`` copies weights from
one to the other, also from a checkpoint: ``jax_llama.py`` and ``jax_resnet.py`` are modules for two
models of transformers. ``jax_defaults.py`` leaves one default alone at a time,
``jax_dropout.py`` has dropout with its scale and without, and ``default_runs.py`` trains and draws
all of these.
"""
