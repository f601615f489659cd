"""In-place updates: a new array for each update in JAX, the same memory in PyTorch.

``set_rows``, ``swap_rows`` and ``clip_where`` replace elements. ``add_at``, ``count_once``,
``max_at`` and ``cumulative_histogram`` meet an index that occurs twice; ``take_or_zero`` and
``put_or_drop`` meet one that is out of bounds. ``ring_write`` writes into a full buffer.
``fill_rows`` and ``drain`` update in a loop.
"""
