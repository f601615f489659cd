"""Sizes at the edges: exported programs, checks that are off, labels without room."""

import numpy as np
import pytest

from jaxvstorch import ledger
from jaxvstorch._frameworks import adapter


def test_a_check_that_is_turned_off_compiles(torch, in_torch) -> None:
    from beartype import beartype
    from jaxtyping import config, jaxtyped

    config.update("jaxtyping_disable", True)
    try:
        checked = jaxtyped(in_torch.project, typechecker=beartype)
        project = torch.compile(checked, backend="eager", fullgraph=True)
        assert project(torch.ones(2, 3), torch.ones(3, 4)).shape == (2, 4)
    finally:
        config.update("jaxtyping_disable", False)


def test_automatic_dynamic_shapes_can_be_turned_off(torch, in_torch) -> None:
    center = torch.compile(in_torch.center, backend="eager")
    with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
        assert ledger(center, [(torch.ones(n),) for n in (4, 5, 6)]).traces == [1, 1, 1]


def test_unique_labels_are_filled_up_and_cut_off(half, framework) -> None:
    labels = adapter(framework).from_numpy(np.array([5, 1, 5, 2], np.int32))
    for size, values, counts in ((4, [1, 2, 5, -1], [1, 1, 2, 0]), (2, [1, 2], [1, 1])):
        found = [adapter(framework).to_numpy(part) for part in half.unique_padded(labels, size)]
        assert [part.tolist() for part in found] == [values, counts]


@pytest.fixture
def exported(jax):
    """Exports a function of arrays with symbolic sizes of one scope."""
    from jax import export

    def make(function, *shapes):
        arguments = [jax.ShapeDtypeStruct(shape, "float32") for shape in shapes]
        return export.export(jax.jit(function))(*arguments)

    make.symbols = export.symbolic_shape
    return make


def test_ranks_and_dtypes_that_do_not_fit_are_refused(exported, in_jax) -> None:
    program = exported(in_jax.center, exported.symbols("n"))
    with pytest.raises(ValueError, match="Rank mismatch"):
        program.call(np.ones((2, 2), np.float32))
    with pytest.raises(ValueError, match="Dtype mismatch"):
        program.call(np.ones(2, np.int32))


def test_a_symbolic_size_is_no_python_number(exported) -> None:
    n = exported.symbols("n")
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        exported(lambda x: sum(x[i] for i in range(x.shape[0])), n)
    with pytest.raises(Exception, match="requires a constant"):
        exported(lambda x: x * int(x.shape[0]), n)


def test_sizes_of_two_arguments_agree_if_they_have_one_name(exported) -> None:
    m, n = exported.symbols("m, n")
    with pytest.raises(TypeError, match="incompatible shapes for broadcasting"):
        exported(lambda x, y: x + y, (m,), (n,))
    with pytest.raises(ValueError, match="Found inconsistency between dimension size"):
        exported(lambda x, y: x + y, (n,), (n,)).call(np.ones(3, "f4"), np.ones(4, "f4"))
    with pytest.raises(ValueError, match="Invalid mixing of symbolic scopes"):
        exported(lambda x, y: x + y, (n,), exported.symbols("n"))


def test_torch_export_keeps_a_range(torch, in_torch) -> None:
    class Module(torch.nn.Module):
        def forward(self, x):
            return in_torch.scale_by_length(x)

    sizes = ({0: torch.export.Dim("n", min=9)},)
    program = torch.export.export(Module(), (torch.ones(12),), dynamic_shapes=sizes).module()
    torch.testing.assert_close(program(torch.ones(10)), torch.full((10,), 0.1))
    with pytest.raises(AssertionError, match="Guard failed"):
        program(torch.ones(8))
