"""Indexing and dtypes: lines that look alike in both frameworks and mean something else.

``pick_per_row``, ``take_wrapped``, ``take_columns``, ``reverse_steps`` and ``segment_softmax`` read
by indices. ``divmod_or_zero``, ``scale_kept`` and ``to_bytes`` say the dtype and the rounding that
they want. ``matmul_tf32`` and ``matmul_in_parts`` compute on any device what a GPU or a TPU may
make of a product of float32.
"""
