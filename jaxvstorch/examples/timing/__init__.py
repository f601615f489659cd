"""What a call costs: functions to time, and what the compilers fuse of them.

``selu``, ``gelu``, ``polynomial``, ``moving_average`` and ``sin_and_cos`` are element-wise: one
loop could do each. ``mean_squared_error``, ``log_sum_exp`` and ``normalize_rows`` reduce.
``dense`` and ``growth`` hold an operation that ends a loop, a matrix product and a running sum.
``product_left`` and ``product_right`` compute one product in two orders.
"""
