"""Optimizers: the rules that turn gradients into new parameters, and what surrounds them.

``nesterov_step``, ``adamw_step``, ``rmsprop_step`` and ``lion_step`` are rules, as functions of
their state. ``clip_by_global_norm``, ``warmup_cosine`` and ``grouped_step`` are what a training
program adds: a limit, a schedule, and parameters that are not decayed. ``jax_optax`` and
``torch_optim`` do the same with the libraries, and ``table`` compares the libraries rule by rule.
"""
