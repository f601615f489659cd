"""Debugging: a gradient printed from inside a compiled function, and the places where a NaN hides.

``entropy`` and ``entropy_where`` have the faults that the tools find; ``entropy_safe`` has none.
"""
