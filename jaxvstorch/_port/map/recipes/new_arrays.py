"""Make an array of a type (FloatTensor, empty, frombuffer).

``jax.Array`` is the one type of array, whatever its dtype and device. ``jnp.empty`` is
``jnp.zeros``: no array of JAX is uninitialized. ``np.frombuffer`` reads bytes.
"""

PAGE = "indexing_dtypes-dtypes"
NAMES = (
    "torch.empty",
    "torch.empty_like",
    "torch.Tensor",
    "torch.FloatTensor",
    "torch.LongTensor",
    "torch.IntTensor",
    "torch.BoolTensor",
    "torch.ByteTensor",
    "torch.DoubleTensor",
    "torch.frombuffer",
    "torch.dtype",
    "Tensor.new",
    "Tensor.new_empty",
    "jax.Array",
    "jnp.empty",
)


def with_torch():
    import torch

    x = torch.FloatTensor([1, 2])
    ids = torch.LongTensor([3, 4])
    empty = torch.empty(2, 3).zero_()
    like = x.new_empty(3).zero_()
    read = torch.frombuffer(bytearray(b"\x01\x00\x02\x00"), dtype=torch.int16)
    return x, ids, empty, like, read, isinstance(x, torch.FloatTensor)


def with_jax():
    import jax.numpy as jnp
    import numpy as np

    x = jnp.array([1, 2], jnp.float32)
    ids = jnp.array([3, 4])  # int32, or int64 where 64 bits are on
    empty = jnp.empty((2, 3))
    like = jnp.empty(3, x.dtype)
    read = jnp.asarray(np.frombuffer(b"\x01\x00\x02\x00", dtype=np.int16))
    return x, ids, empty, like, read, x.dtype == jnp.float32
