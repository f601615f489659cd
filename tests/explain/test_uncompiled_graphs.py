"""What ``explain`` cannot know, because it runs PyTorch's graphs uncompiled."""

import pytest
from needs import needs_compiler

from jaxvstorch import explain

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")


def add_one(x):
    return x + 1


@needs_compiler
def test_what_inductor_alone_computes_reads_as_an_error() -> None:
    x = torch.tensor([1], dtype=torch.uint32)
    with pytest.raises(NotImplementedError):
        add_one(x)
    assert torch.compile(add_one)(x).item() == 2
    assert explain(add_one, x).found("failed")
