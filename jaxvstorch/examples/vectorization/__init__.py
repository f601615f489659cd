"""A function of one example made a function of a batch by ``vmap``.

Private functions, such as ``_dot``, take one example. The functions beside them take a batch, and
differ in which axes are batches: one argument's or all, the first axis or another, one or two. The
last ones show what has to be written differently where the examples of a batch part ways.
"""
