"""Training: a small GPT, trained and sampled from in both frameworks.

``loss`` and ``train_step`` are functions of a tree of weights; ``torch_module.py`` is the same
network as a module of PyTorch, and ``jax_optax.py`` the step with a library's optimizer. ``decode``
continues a text with a cache of keys and values, and ``generate`` samples with it.
"""
