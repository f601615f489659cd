"""What a batch's program holds: products of matrices, no loop, and not more than was written."""

import numpy as np
import pytest
from programs import primitives
from vmap_programs import torch_operations


def multiply(weight, x):
    return weight @ x


def products(jax, function, *arguments):
    """The shape of each product in a jaxpr, and the batch axes of its left operand."""
    found = [e for e in jax.make_jaxpr(function)(*arguments).eqns if "dot" in str(e.primitive)]
    return [(e.outvars[0].aval.shape, tuple(e.params["dimension_numbers"][1][0])) for e in found]


def test_jax_makes_one_product_of_matrices_of_a_batch_of_products(jax, in_jax) -> None:
    ones = jax.numpy.ones
    shared = products(jax, in_jax.affine_shared, ones((5, 4)), ones(5), ones((3, 4)))
    each = products(jax, in_jax.affine_each, ones((3, 5, 4)), ones((3, 5)), ones(4))
    assert shared == [((5, 3), ())]
    assert each == [((3, 5), ())]
    own = products(jax, jax.vmap(multiply), ones((3, 5, 4)), ones((3, 4)))
    assert own == [((3, 5), (0,))]


def test_torch_takes_mm_for_a_shared_matrix_and_bmm_for_one_each(torch, in_torch) -> None:
    ones = torch.ones
    assert "aten.mv.default" in torch_operations(multiply, ones(5, 4), ones(4))
    shared = torch_operations(in_torch.affine_shared, ones(5, 4), ones(5), ones(3, 4))
    assert "aten.mm.default" in shared
    assert "aten.mv.default" not in shared
    own = torch_operations(torch.vmap(multiply), ones(3, 5, 4), ones(3, 4))
    assert "aten.bmm.default" in own


def test_two_vmaps_of_dot_are_a_product_of_matrices(jax) -> None:
    by_column = jax.vmap(jax.numpy.dot, in_axes=(None, 1))
    whole = jax.vmap(by_column, in_axes=(0, None))
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    assert products(jax, whole, a, b) == [((2, 4), ())]
    np.testing.assert_array_equal(whole(a, b), a @ b)


def test_distances_have_all_differences_as_one_array_in_jax(jax, in_jax) -> None:
    x, y = np.ones((5, 3), np.float32), np.ones((6, 3), np.float32)
    equations = jax.make_jaxpr(in_jax.pairwise_distances)(x, y).eqns
    assert max(e.outvars[0].aval.size for e in equations) == 5 * 6 * 3


def test_distances_are_one_subtraction_in_torch(torch, in_torch) -> None:
    x, y = torch.ones(5, 3), torch.ones(6, 3)
    operations = torch_operations(in_torch.pairwise_distances, x, y)
    assert operations.count("aten.sub.Tensor") == 1
    assert len(operations) < 6


def test_a_loop_is_written_for_each_example_and_vmap_once(jax) -> None:
    rows = jax.numpy.ones((64, 16))
    ways = {
        "loop": lambda x: jax.numpy.stack([row @ row for row in x]),
        "lax.map": lambda x: jax.lax.map(lambda row: row @ row, x),
        "vmap": jax.vmap(lambda row: row @ row),
    }
    sizes = {name: len(jax.make_jaxpr(way)(rows).eqns) for name, way in ways.items()}
    assert sizes["loop"] >= 64
    assert max(sizes["lax.map"], sizes["vmap"]) < 8
    if jax.default_backend() != "cpu":
        return  # other compilers count in their own way
    flops = {
        name: jax.jit(way).lower(rows).compile().cost_analysis()["flops"]
        for name, way in ways.items()
    }
    assert flops["loop"] == flops["vmap"]
    assert flops["lax.map"] < flops["vmap"] / 32  # one step of its loop


def test_a_torch_loop_is_an_operation_for_each_example(torch) -> None:
    rows = torch.ones(64, 16)
    loop = torch_operations(lambda x: torch.stack([row @ row for row in x]), rows)
    assert loop.count("aten.dot.default") == 64
    assert len(torch_operations(torch.vmap(lambda row: row @ row), rows)) < 16


def test_parts_of_a_batch_are_a_scan_in_jax(jax) -> None:
    x = np.ones((5, 4), np.float32)

    def parts(x):
        return jax.lax.map(jax.numpy.sum, x, batch_size=2)

    jaxpr = jax.make_jaxpr(parts)(x)
    (scan,) = [e for e in jaxpr.eqns if str(e.primitive) == "scan"]
    assert scan.params["length"] == 2
    assert primitives(jaxpr).count("reduce_sum") == 1  # of the fifth example
    assert parts(x).tolist() == [4] * 5


def test_parts_of_a_batch_are_calls_in_torch(torch) -> None:
    calls = []

    def total(x):
        calls.append(x.shape)
        return x.sum()

    x = torch.ones(5, 4)
    assert torch.vmap(total, chunk_size=2)(x).tolist() == [4] * 5
    assert calls == [(4,)] * 3
    with pytest.raises(ValueError, match="chunk_size"):
        torch.vmap(total, chunk_size=0)(x)


@pytest.fixture
def systems():
    """Four systems of four equations, and a right-hand side for each."""
    rng = np.random.default_rng(0)
    matrices = (rng.normal(size=(4, 4, 4)) + 8 * np.eye(4)).astype(np.float32)
    return matrices, rng.normal(size=(4, 4)).astype(np.float32)


def test_solve_without_vmap_takes_a_batch_for_a_matrix_in_jax(jax, in_jax, systems) -> None:
    assert jax.numpy.linalg.solve(*systems).shape == (4, 4, 4)
    assert in_jax.solve_batch(*systems).shape == (4, 4)


def test_solve_without_vmap_takes_a_batch_for_a_batch_in_torch(torch, in_torch, systems) -> None:
    arguments = [torch.tensor(array) for array in systems]
    torch.testing.assert_close(torch.linalg.solve(*arguments), in_torch.solve_batch(*arguments))
