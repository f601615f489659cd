"""What is built in: functions that one framework has, and the other takes some lines for.

``cross_entropy``, ``layer_norm`` and ``huber_loss`` come with PyTorch, ``interpolate_linear``,
``convolve_same`` and ``solve_cg`` with JAX. ``normal_log_density``, ``segment_sum`` and
``trapezoid`` come with both. ``adam_step`` is what an optimizer does: an object in PyTorch, a
library for JAX, and six lines in either.
"""
