"""Training a small GPT: the same network, trained and sampled from in both frameworks.

``loss`` and ``train_step`` are functions of a tree of weights; ``torch_module.py`` is the same
network as a PyTorch module, and ``jax_optax.py`` is the step with a library's optimizer. ``decode``
continues a text with a cache of keys and values, and ``generate`` samples with it.
"""
