"""One computation on many devices: what each holds, and what they must send each other.

The functions take plain arrays and know of no device. ``mlp``, ``mlp_loss`` and ``train_step`` are
what the pages run on many devices, as they stand. In the others a leading axis stands for the
devices: they say in arithmetic what each device computes, and what must then be put together.
"""
