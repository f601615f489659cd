"""Faults in a port of a U-Net: `models/unet_jax.py`."""

from faults.fault import Fault

_ALIGNED = """jax.image.scale_and_translate(
            h,
            (*a.shape[:3], 16),
            (1, 2),
            jnp.full(2, 15 / 7),
            jnp.full(2, 0.5 - 0.5 * 15 / 7),
            "bilinear",
        )"""
_FROM_CORNERS = """jax.image.scale_and_translate(
            h, (*a.shape[:3], 16), (1, 2), jnp.full(2, 2.0), jnp.full(2, -0.5), "bilinear"
        )"""

FAULTS = [
    Fault(
        "unet: epsilon of Keras",
        "epsilon=1e-5", "epsilon=1e-3",
        'Norm(name="norm1")(x)', "self.norm1(x)", r"eps",
    ),
    Fault(
        "unet: two groups for four",
        "num_groups=4", "num_groups=2",
        'Norm(name="norm1")(x)', "self.norm1(x)", r"group",
    ),
    Fault(
        "unet: four channels a group for four groups",
        "num_groups=4", "num_groups=None, group_size=4",
        'Norm(name="norm1")(x)', "self.norm1(x)", r"group",
    ),
    Fault(
        "unet: layer norm for group norm",
        'Norm(name="norm")(h)', 'nn.LayerNorm(epsilon=1e-5, name="norm")(h)',
        'nn.LayerNorm(', "self.norm(h)", r"in place of dim",
    ),
    Fault(
        "unet: gelu for silu",
        'nn.silu(Norm(name="norm2")(h))', 'nn.gelu(Norm(name="norm2")(h), approximate=False)',
        "nn.gelu(", "F.silu(self.norm2(h))", r"silu|swish|gelu|activation",
    ),
    Fault(
        "unet: swish with a factor",
        'h = nn.silu(Norm(name="norm1")(x))',
        'h = Norm(name="norm1")(x)\n        h = h * nn.sigmoid(1.702 * h)',
        "nn.sigmoid(1.702 * h)", "F.silu(self.norm1(x))", r"silu|swish|activation|factor|1\.702",
    ),
    Fault(
        "unet: activation before the norm",
        'nn.silu(Norm(name="norm1")(x))', 'Norm(name="norm1")(nn.silu(x))',
        'Norm(name="norm1")(nn.silu(x))', "F.silu(self.norm1(x))", r"leaves out",
    ),
    Fault(
        "unet: last activation left out",
        'nn.silu(Norm(name="norm")(h))', 'Norm(name="norm")(h)',
        'h = Norm(name="norm")(h)', "F.silu(self.norm(h))",
        None,
        'name="head"',
    ),
    Fault(
        "unet: strided convolution padded the same",
        'nn.Conv(16, (3, 3), strides=2, padding=1, name="down1")',
        'nn.Conv(16, (3, 3), strides=2, name="down1")',
        'name="down1"', "self.down1(a)", r"pad",
    ),
    Fault(
        "unet: kernels' height and width swapped",
        "transpose(2, 3, 1, 0)", "transpose(3, 2, 1, 0)",
        'name="stem"', "self.stem(x)", r"kernel|transpos|axes|order|layout|weight",
    ),
    Fault(
        "unet: bilinear for nearest",
        '"nearest"', '"bilinear"',
        "(*b.shape[:3], 24)", 'mode="nearest"', r"nearest|linear|interpol",
    ),
    Fault(
        "unet: nearest for bilinear",
        '"bilinear"', '"nearest"',
        "(*a.shape[:3], 16)", 'mode="bilinear"', r"nearest|linear|interpol",
    ),
    Fault(
        "unet: bicubic for bilinear",
        '"bilinear"', '"bicubic"',
        "(*a.shape[:3], 16)", 'mode="bilinear"', r"cubic|linear|interpol",
    ),
    Fault(
        "unet: aligned corners",
        'jax.image.resize(h, (*a.shape[:3], 16), "bilinear")', _ALIGNED,
        "jax.image.scale_and_translate(", 'mode="bilinear"', r"align|corner|cent",
    ),
    Fault(
        "unet: pixels' corners for centres",
        'jax.image.resize(h, (*a.shape[:3], 16), "bilinear")', _FROM_CORNERS,
        "jax.image.scale_and_translate(", 'mode="bilinear"', None,
    ),
    Fault(
        "unet: skip in the other order",
        "[h, b]", "[b, h]",
        "[b, h]", "[h, b]", None,
    ),
    Fault(
        "unet: skip from before the block",
        "[h, a]", "[h, x]",
        "[h, x]", "[h, a]", r"instead|operand|skip",
    ),
    Fault(
        "unet: shortcut left out",
        'return h + nn.Conv(self.features, (1, 1), name="shortcut")(x)', "return h",
        "return h", "h + self.shortcut(x)", None,
        'name="down1"',
    ),
    Fault(
        "unet: last bias left out",
        'padding=1, name="head"', 'padding=1, use_bias=False, name="head"',
        'name="head"', "self.head(h)", r"bias",
    ),
    Fault(
        "unet: bfloat16 convolution",
        'padding=1, name="down2"', 'padding=1, dtype=jnp.bfloat16, name="down2"',
        'name="down2"', "self.down2(b)", r"bfloat16|precision|dtype",
    ),
]  # fmt: skip
