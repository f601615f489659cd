"""Indexing and dtypes: lines that look the same in both frameworks but differ in meaning.

``pick_per_row``, ``take_wrapped``, ``take_columns``, ``reverse_steps`` and ``segment_softmax`` read
by indices. ``divmod_or_zero``, ``scale_kept`` and ``to_bytes`` state the dtype and the rounding
that they want. ``matmul_tf32`` and ``matmul_in_parts`` compute on any device what a GPU or a TPU
may make of a float32 product.
"""
