"""Methods and self under a compiler, and the ways out of a compiled program.

``scale_*`` read an attribute of an object; ``affine`` and ``mean_so_far`` hold arrays in one.
``calibrated*`` look up a table, in the framework or with NumPy outside it; ``recorded`` writes
outside. ``blocks*`` repeat one block, compiled with the whole or once.
"""
