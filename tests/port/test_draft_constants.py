"""Drafts of what a program decides before it runs: versions, weights left out, constants."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")


def test_what_versions_weights_and_constants_decide(drafted) -> None:
    source, parity = drafted("""
        from types import SimpleNamespace

        import torch
        from torch import nn
        from torch.nn import functional as F

        settings = SimpleNamespace(data="here")

        try:
            from torch.nn.functional import scaled_dot_product_attention

            FUSED = True
        except ImportError:
            scaled_dot_product_attention = None
            FUSED = False
        try:
            from torch.nn.functional import no_such_attention

            NEWEST = True
        except ImportError:
            NEWEST = False


        class Cast(nn.Linear):
            def forward(self, x):
                bias = None if self.bias is None else self.bias.to(x.dtype)
                return F.linear(x, self.weight.to(x.dtype), bias)


        class Inline(nn.Linear):
            def forward(self, x):
                return F.linear(
                    x, self.weight.to(x.dtype),
                    None if self.bias is None else self.bias.to(x.dtype),
                )


        class Attention(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.query, self.key = Cast(n, n), Inline(n, n, bias=False)
                self.norm = nn.LayerNorm([3, n])
                self.waves = torch.sin(torch.arange(n) ** 0.3).exp()

            def forward(self, x):
                q, k = self.query(x), self.key(x) * self.waves
                if FUSED and not NEWEST:
                    return self.norm(scaled_dot_product_attention(q, k, x))
                return x


        torch.manual_seed(0)
        x = torch.randn(2, 3, 8)
        print(settings.data, Attention(8)(x.data).shape)
    """)
    assert "FUSED = True" in source
    assert "NEWEST = False" in source
    assert "# NOTE: Tensor.to was not reached, and is not verified" in source  # that of Inline
    assert "0 if self.bias is None else self.bias.astype(x.dtype)\n" in source
    assert "print(settings.data, Attention(8, rngs=rngs)(x).shape)" in source
    assert parity["Attention"] == "at parity: values and gradients, in float32 and float64"


def test_imports_stand_in_the_usual_order() -> None:
    from jaxvstorch._port.draft.formatting import ordered_imports

    lines = [
        "import optax", "from jax import lax", "import math", "from jax import Array",
        "x = None  # TODO: from . import x", "from pathlib import Path", "import jax.numpy as jnp",
    ]  # fmt: skip
    assert "\n".join(ordered_imports(lines)) == (
        "import math\nfrom pathlib import Path\n\n"
        "import jax.numpy as jnp\nimport optax\nfrom jax import Array, lax\n\n"
        "x = None  # TODO: from . import x"
    )
