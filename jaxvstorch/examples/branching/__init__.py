"""A choice that depends on a value: decided in Python, by the compiled program, or element-wise.

``select_*`` choose between two branches, ``activate_*`` among several, ``expensive_*`` between a
cheap branch and a costly one, alone and in a batch. ``sqrt_*`` show what a choice does to a
gradient. The rest choose tokens and masks while a sequence is decoded.
"""
