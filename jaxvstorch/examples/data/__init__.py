"""Data loading: batches from a source to the device, in a reproducible order.

The halves hold what a batch pipeline does on the device. ``sources`` and ``batches`` need only
NumPy and feed both frameworks; ``loader`` is for PyTorch's ``DataLoader`` and ``grain`` for grain;
``prefetching`` makes batches ahead of the loop, and ``waiting`` measures how long the loop waits.
"""
