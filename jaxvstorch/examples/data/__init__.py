"""Data: batches from a source to the device, in an order that can be had again.

The halves hold what a batch pipeline does on the device. ``sources`` and ``batches`` need NumPy
alone and feed both frameworks; ``loader`` is for PyTorch's ``DataLoader`` and ``grain`` for grain;
``prefetching`` makes batches ahead of the loop, and ``waiting`` measures how long it waits.
"""
