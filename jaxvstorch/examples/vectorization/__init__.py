"""Batching with vmap: a function of one example becomes a function of a batch.

Private functions, such as ``_dot``, take one example. The functions beside them take a batch, and
differ in which axes are batch axes: one argument's or all, the first axis or another, one or two.
The last ones show what has to be written differently when the examples of a batch diverge.
"""
