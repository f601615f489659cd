"""Timing: what a call costs, and which operations the compilers fuse.

``selu``, ``gelu``, ``polynomial``, ``moving_average`` and ``sin_and_cos`` are element-wise: one
loop could compute each. ``mean_squared_error``, ``log_sum_exp`` and ``normalize_rows`` reduce.
``dense`` and ``growth`` contain an operation that ends a loop: a matrix product and a running sum.
``product_left`` and ``product_right`` compute one product in two orders.
"""
