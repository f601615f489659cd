"""Export a program (torch.export, jax.export).

Both write a program that runs without its source. The weights of a module are in PyTorch's file; a
function of JAX takes them as arguments, or has them inside as constants.
"""

PAGE = "aot-export"
NAMES = (
    "torch.export.export",
    "torch.export.save",
    "torch.export.load",
    "torch.export.Dim",
    "torch.jit.save",
    "torch.jit.load",
    "torch.onnx.export",
    "jax.export.export",
    "jax.export.deserialize",
)


def with_torch():
    import io

    import torch

    class Scale(torch.nn.Module):
        def forward(self, x):
            return x / x.sum()

    rows = torch.export.Dim("rows", min=2)
    exported = torch.export.export(Scale(), (torch.ones(4),), dynamic_shapes=({0: rows},))
    file = io.BytesIO()
    torch.export.save(exported, file)

    file.seek(0)
    program = torch.export.load(file).module()
    return program(torch.tensor([1.0, 3.0])), program(torch.ones(5))


def with_jax():
    import jax
    import jax.numpy as jnp

    def scale(x):
        return x / x.sum()

    shape = jax.export.symbolic_shape("rows")
    exported = jax.export.export(jax.jit(scale))(jax.ShapeDtypeStruct(shape, jnp.float32))
    data = exported.serialize()

    program = jax.export.deserialize(data).call
    return program(jnp.array([1.0, 3.0])), program(jnp.ones(5))
