"""Ahead-of-time compilation: exported programs, packages, and caches on disk.

The functions are what you would compile ahead, or pass on as a file: a network with its parameters
as an argument (``predict``, ``classify``, ``embed``), steps of a signal (``filter_fir``,
``kalman_step``), and batches of any size (``normalize``, ``pool_pairs``, ``similarity``). A Python
number decides a shape in ``recent_mean`` and a value in ``amplify``.
"""
