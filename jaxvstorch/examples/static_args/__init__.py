"""Arguments that decide what is computed: a flag, a function, a number of samples, axes.

``loss`` and ``gated`` are given their option as Python values, ``loss_where`` and ``gated_by_name``
in another way. ``scaled`` is given a number that decides nothing.
"""
