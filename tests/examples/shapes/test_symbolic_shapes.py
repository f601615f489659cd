"""A function traced once for all sizes: jax.export with symbolic shapes, and torch.export."""

import numpy as np
import pytest


@pytest.fixture
def exported(jax):
    """Exports a function of one array with the given symbolic shape."""
    from jax import export

    def make(function, shape, constraints=()):
        sizes = export.symbolic_shape(shape, constraints=constraints)
        return export.export(jax.jit(function))(jax.ShapeDtypeStruct(sizes, "float32"))

    return make


def test_it_is_traced_once_and_takes_any_size_from_one(exported, jax, in_jax) -> None:
    seen = []

    def center(x):
        seen.append(x.shape)
        return in_jax.center(x)

    program = exported(center, "n")
    for n in (1, 2, 8):
        assert program.call(np.ones(n, np.float32)).tolist() == [0] * n
    assert len(seen) == 1
    assert str(program.out_avals[0]) == "float32[n]"


def test_xla_still_compiles_for_each_size(exported, jax, in_jax, compiled_by_jax) -> None:
    program = jax.jit(exported(in_jax.center, "n").call)
    arrays = [np.ones(n, np.float32) for n in (4, 5, 6, 5)]
    compiled_by_jax.clear()
    for x in arrays:
        program(x)
    assert compiled_by_jax == ["jit(call)"] * 3


def test_sizes_and_ranks_that_do_not_fit_are_refused(exported, in_jax) -> None:
    program = exported(in_jax.center, "n")
    with pytest.raises(ValueError, match="Expected value >= 1 for dimension variable 'n'"):
        program.call(np.ones(0, np.float32))
    with pytest.raises(ValueError, match="Rank mismatch"):
        program.call(np.ones((2, 2), np.float32))
    with pytest.raises(ValueError, match="Dtype mismatch"):
        program.call(np.ones(2, np.int32))


def test_a_comparison_that_only_some_sizes_meet_is_inconclusive(exported, jax, in_jax) -> None:
    error = jax.errors.InconclusiveDimensionOperation
    with pytest.raises(Exception, match="comparison 'n' > '8' is inconclusive") as caught:
        exported(in_jax.scale_by_length, "n")
    assert type(caught.value).__name__ == error.__name__
    program = exported(in_jax.scale_by_length, "n", ["n >= 9"])
    np.testing.assert_allclose(program.call(np.ones(10, np.float32)), np.full(10, 0.1))
    with pytest.raises(ValueError, match="do not match the symbolic shape constraint n >= 9"):
        program.call(np.ones(8, np.float32))


def test_a_comparison_for_equality_is_false_and_no_error(exported) -> None:
    def by_four(x):
        return 2 * x if x.shape[0] == 4 else 3 * x

    x = np.ones(4, np.float32)
    assert by_four(x)[0] == 2
    assert exported(by_four, "n").call(x)[0] == 3
    assert exported(by_four, "n", ["n <= 8"]).call(x)[0] == 3


def test_what_divides_a_size_needs_a_size_that_it_divides(exported, jax) -> None:
    def halves(x):
        return x.reshape(2, -1)

    with pytest.raises(Exception, match="Cannot divide evenly") as caught:
        exported(halves, "n")
    assert type(caught.value).__name__ == "InconclusiveDimensionOperation"
    program = exported(halves, "2*n")
    assert program.call(np.ones(6, np.float32)).shape == (2, 3)
    with pytest.raises(ValueError, match="Division had remainder 1"):
        program.call(np.ones(7, np.float32))


def test_a_symbolic_size_is_no_python_number(exported) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        exported(lambda x: sum(x[i] for i in range(x.shape[0])), "n")
    with pytest.raises(Exception, match="requires a constant"):
        exported(lambda x: x * int(x.shape[0]), "n")


def test_sizes_of_two_arguments_agree_if_they_have_one_name(jax) -> None:
    from jax import export

    def add(*sizes):
        shapes = [jax.ShapeDtypeStruct((size,), "float32") for size in sizes]
        return export.export(jax.jit(lambda x, y: x + y))(*shapes)

    m, n = export.symbolic_shape("m, n")
    with pytest.raises(TypeError, match="incompatible shapes for broadcasting"):
        add(m, n)
    with pytest.raises(ValueError, match="Found inconsistency between dimension size"):
        add(n, n).call(np.ones(3, np.float32), np.ones(4, np.float32))
    (other,) = export.symbolic_shape("n")
    with pytest.raises(ValueError, match="Invalid mixing of symbolic scopes"):
        add(n, other)


def module(torch, function):
    """A module whose forward is the function of one tensor."""

    class Module(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return Module()


def exported_by_torch(torch, function, length: int, **limits: int):
    size = torch.export.Dim("n", **limits)
    x = torch.ones(length)
    return torch.export.export(module(torch, function), (x,), dynamic_shapes=({0: size},))


def test_torch_export_takes_zero_and_one_too(torch, in_torch) -> None:
    program = exported_by_torch(torch, lambda x: 2 * x, 4).module()
    for n in (0, 1, 8):
        assert program(torch.ones(n)).tolist() == [2] * n


def test_torch_export_keeps_a_range_and_refuses_an_if_that_splits_it(torch, in_torch) -> None:
    with pytest.raises(torch._dynamo.exc.UserError, match="Suggested fixes"):
        exported_by_torch(torch, in_torch.scale_by_length, 4)
    program = exported_by_torch(torch, in_torch.scale_by_length, 12, min=9).module()
    torch.testing.assert_close(program(torch.ones(10)), torch.full((10,), 0.1))
    with pytest.raises(AssertionError, match="Guard failed"):
        program(torch.ones(8))
