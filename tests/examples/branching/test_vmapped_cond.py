"""What is refused of a pair once sizes are symbols."""

import pytest


def test_a_vmapped_torch_cond_does_not_compile_with_symbolic_shapes(torch, in_torch) -> None:
    compiled = torch.compile(in_torch.expensive_cond_batch, backend="eager", dynamic=True)
    predicates, matrices = torch.tensor([True, False]), torch.ones(2, 4, 4)
    with pytest.raises(torch._dynamo.exc.TorchRuntimeError, match="must be a list of tensors"):
        compiled(predicates, matrices)
