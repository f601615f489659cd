"""Conditionals: a choice made by Python, by the compiled program, or element by element.

``select_*`` choose between two branches, ``activate_*`` among several, and ``expensive_*`` between
a cheap branch and a costly one, alone and in a batch. ``sqrt_*`` show what a choice does to a
gradient. The rest choose tokens and masks while a sequence is decoded.
"""
