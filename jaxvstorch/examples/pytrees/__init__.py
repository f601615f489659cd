"""Pytrees: parameters, gradients and optimizer state as containers of arrays.

``sgd_step`` and ``adam_step`` map over several trees; ``global_norm`` and ``clip_by_global_norm``
reduce one; ``decay_weights`` and ``average`` look at names. ``mlp_apply``, ``mlp_gradients`` and
``ensemble_apply`` pass a tree to a function and its transformations. The rest change the structure
of a tree.
"""
