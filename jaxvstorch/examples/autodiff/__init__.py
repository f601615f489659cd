"""Automatic differentiation: how to get a derivative, what it costs, and how to change it.

``rosenbrock_*``, ``regression_gradients``, ``jacobian_*``, ``log_sum_exp_*``,
``per_example_gradients`` and ``tanh_derivative`` are derivatives themselves. The rest change what
is differentiated: ``round_straight_through`` and ``kepler`` stop the gradient, ``log1pexp`` and
``clip_gradient`` have custom rules, and ``residual_mlp_checkpointed`` recomputes what
``residual_mlp`` saves.
"""
