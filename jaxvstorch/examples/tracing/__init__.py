"""Tracing and compilation: what is traced, when it is traced again, and what remains.

``sin_cos``, ``polynomial_sum`` and ``matmul`` are small enough to follow through every stage.
``three_ratios`` repeats itself, ``print_*`` print while Python runs or while the program runs, the
``layer`` functions call compiled code from compiled code, and ``affine`` takes one argument of each
kind that can make a compiler trace again.
"""
