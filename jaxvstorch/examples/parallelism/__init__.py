"""Parallelism and sharding: what each device holds, and what the devices send each other.

The functions take plain arrays and name no device. The pages run ``mlp``, ``mlp_loss`` and
``train_step`` on many devices, unchanged. In the others a leading axis stands for the devices: they
show in arithmetic what each device computes, and how the parts are then combined.
"""
