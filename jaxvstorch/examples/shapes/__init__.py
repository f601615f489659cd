"""Dynamic shapes: a new shape compiles again or does not, and some shapes depend on values.

``center`` and ``scale_by_length`` meet arrays of several lengths. ``pad_to_bucket`` pads an array;
``center_padded`` and ``masked_softmax`` leave the padding out of what they compute. ``project`` has
sizes that must agree; in ``sliding_windows`` and ``top_scores`` a Python number decides a size. The
rest have results whose size depends on values, or give such results a fixed size.
"""
