"""Derivatives: how they are asked for, what they cost, and how they are changed.

``rosenbrock_*``, ``regression_gradients``, ``jacobian_*``, ``log_sum_exp_*``,
``per_example_gradients`` and ``tanh_derivative`` are derivatives themselves. The rest change what
is differentiated: ``round_straight_through`` and ``kepler`` stop it, ``log1pexp`` and
``clip_gradient`` have rules of their own, and ``residual_mlp_checkpointed`` computes again what
``residual_mlp`` saves.
"""
