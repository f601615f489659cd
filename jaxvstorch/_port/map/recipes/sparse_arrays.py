"""Sparse tensors.

``jax.experimental.sparse`` is experimental. ``BCOO`` takes the indices as (number, dimensions),
where PyTorch takes (dimensions, number).
"""

PAGE = "ecosystem"
NAMES = (
    "torch.sparse_coo_tensor",
    "torch.sparse_csr_tensor",
    "torch.sparse.mm",
    "torch.sparse.FloatTensor",
    "torch.spmm",
    "torch.sparse_coo",
    "Tensor.to_sparse",
    "Tensor.to_dense",
    "Tensor.is_sparse",
    "Tensor.coalesce",
    "Tensor.indices",
    "Tensor.values",
)


def with_torch():
    import torch

    indices, values = torch.tensor([[0, 1, 1], [2, 0, 0]]), torch.tensor([3.0, 4.0, 5.0])
    sparse = torch.sparse_coo_tensor(indices, values, size=(2, 3), check_invariants=True).coalesce()
    return sparse @ torch.ones(3, 2), sparse.to_dense(), sparse.indices(), sparse.values()


def with_jax():
    import jax.numpy as jnp
    from jax.experimental.sparse import BCOO

    indices, values = jnp.array([[0, 1, 1], [2, 0, 0]]), jnp.array([3.0, 4.0, 5.0])
    sparse = BCOO((values, indices.T), shape=(2, 3)).sum_duplicates()
    return sparse @ jnp.ones((3, 2)), sparse.todense(), sparse.indices.T, sparse.data
