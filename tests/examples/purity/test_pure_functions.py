"""Pure functions, local mutation included.

The matrix of all kinds is in ``tests/explainer/test_purity_matrix.py``.
"""

import numpy as np
from programs import graphs
from purity_inputs import X

from jaxvstorch import ledger


def test_jax_sees_nothing_of_a_local_list(jax, in_jax) -> None:
    assert ledger(jax.jit(in_jax.powers), [(X,), (X,)]).traces == [1, 0]
    primitives = [e.primitive.name for e in jax.make_jaxpr(in_jax.powers)(X).eqns]
    assert primitives.count("mul") == 2
    assert primitives[-1] == "stack"


def test_torch_sees_nothing_of_a_local_list(torch, in_torch) -> None:
    x = torch.from_numpy(X)
    (graph,) = graphs(torch, in_torch.powers, x)
    assert "append" not in graph.code
    assert graph.code.count(" * ") == 2


def test_rebinding_a_name_leaves_the_argument_alone(jax, in_jax, torch, in_torch) -> None:
    for x, half in ((jax.numpy.asarray(X), in_jax), (torch.from_numpy(X.copy()), in_torch)):
        half.squared_deviations(x)
        assert np.array_equal(np.asarray(x), X)


def test_an_augmented_assignment_rebinds_in_jax_and_changes_the_tensor_in_torch(jax, torch) -> None:
    def add_one(x):
        x += 1
        return x

    array, tensor = jax.numpy.asarray(X), torch.from_numpy(X.copy())
    assert np.array_equal(jax.jit(add_one)(array), X + 1)
    assert np.array_equal(array, X)
    torch.compile(add_one, backend="eager", fullgraph=True)(tensor)
    assert np.array_equal(tensor, X + 1)
