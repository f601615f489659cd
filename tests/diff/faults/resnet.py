"""Faults in a port of a ResNet: `models/resnet_jax.py`."""

from faults.fault import Fault

FAULTS = [
    Fault(
        "resnet: epsilon of Keras",
        "partial(nnx.BatchNorm, ", "partial(nnx.BatchNorm, epsilon=1e-3, ",
        "self.norm1(x)", "self.norm1(x)", r"eps",
    ),
    Fault(
        "resnet: statistics of the batch",
        "partial(nnx.BatchNorm, use_running_average=True", "partial(nnx.BatchNorm",
        "self.norm1(x)", "self.norm1(x)", r"running|batch|train|eval",
    ),
    Fault(
        "resnet: running variance left behind",
        "        layer.var[...] = jnp.array(theirs.running_var.numpy())\n", "",
        "self.norm1(x)", "self.norm1(x)", r"var|statist|buffer|weight|param",
    ),
    Fault(
        "resnet: deviation for variance",
        "theirs.running_var.numpy()", "theirs.running_var.sqrt().numpy()",
        "self.norm1(x)", "self.norm1(x)", r"var|statist|buffer|weight|param|sqrt|root",
    ),
    Fault(
        "resnet: norms' biases left behind",
        "if theirs.bias is not None:",
        "if theirs.bias is not None and not isinstance(layer, nnx.BatchNorm):",
        "self.norm1(x)", "self.norm1(x)", r"bias|weight|param",
    ),
    Fault(
        "resnet: first convolution padded the same",
        "padding=3", 'padding="SAME"',
        "self.conv(", "self.conv(x)", r"pad",
    ),
    Fault(
        "resnet: strided convolution padded the same",
        "stride, padding=1)", "stride)",
        "self.conv1(h)", "self.conv1(h)", r"pad",
    ),
    Fault(
        "resnet: maximum padded the same",
        "x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))",
        'x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding="SAME")',
        "nnx.max_pool(", "self.pool(x)", r"pad",
    ),
    Fault(
        "resnet: maximum with zeros around",
        "nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))",
        "nnx.max_pool(jnp.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)]), (3, 3), strides=(2, 2))",
        "nnx.max_pool(", "self.pool(x)", r"pad|zero|inf",
    ),
    Fault(
        "resnet: average for maximum",
        "nnx.max_pool(", "nnx.avg_pool(",
        "x = nnx.avg_pool(", "self.pool(x)", r"max|avg|average|mean",
    ),
    Fault(
        "resnet: average without the padding",
        "nnx.avg_pool(x, (3, 3), ", "nnx.avg_pool(x, (3, 3), count_include_pad=False, ",
        "nnx.avg_pool(", "F.avg_pool2d(", r"pad|count",
    ),
    Fault(
        "resnet: average padded the same",
        "y = nnx.avg_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))",
        'y = nnx.avg_pool(x, (3, 3), strides=(2, 2), padding="SAME")',
        "nnx.avg_pool(", "F.avg_pool2d(", r"pad",
    ),
    Fault(
        "resnet: flattened with the channels last",
        "y.transpose(0, 3, 1, 2).reshape(len(y), -1)", "y.reshape(len(y), -1)",
        "y.reshape(len(y), -1)", "x.flatten(1)", r"order|axes|transpos|layout|nhwc|channel|reshape",
        "self.head(y)", "self.head(",
    ),
    Fault(
        "resnet: kernels' height and width swapped",
        "weight.transpose(2, 3, 1, 0)", "weight.T",
        "self.conv(", "self.conv(x)", r"kernel|transpos|axes|order|layout|weight",
    ),
    Fault(
        "resnet: kernels flipped",
        "weight.transpose(2, 3, 1, 0)", "weight[:, :, ::-1, ::-1].transpose(2, 3, 1, 0)",
        "self.conv(", "self.conv(x)", r"kernel|flip|revers|order|weight",
    ),
    Fault(
        "resnet: shortcut before the norm",
        "self.shortcut(h)", "self.shortcut(x)",
        "self.shortcut(x)", "self.shortcut(h)", r"input|operand|instead",
    ),
    Fault(
        "resnet: shortcut left out",
        "return shortcut + h", "return h",
        "return h", "return shortcut + h", r"resid|shortcut|add|left out|missing|skip",
        "self.norm1(x)",
    ),
    Fault(
        "resnet: leaky relu for relu",
        "nnx.relu(self.norm2(h))", "nnx.leaky_relu(self.norm2(h))",
        "nnx.leaky_relu(", "F.relu(self.norm2(h))", r"relu|activation|slope",
    ),
    Fault(
        "resnet: activation before the norm",
        "nnx.relu(self.norm1(x))", "self.norm1(nnx.relu(x))",
        "self.norm1(nnx.relu(x))", "F.relu(self.norm1(x))", r"leaves out",
    ),
    Fault(
        "resnet: final norm left out",
        "nnx.relu(self.norm(x))", "nnx.relu(x)",
        "nnx.relu(x)", "F.relu(self.norm(x))", r"norm|left out|missing|skip",
    ),
    Fault(
        "resnet: bfloat16 convolutions",
        "partial(nnx.Conv, ", "partial(nnx.Conv, dtype=jnp.bfloat16, ",
        "self.conv1(h)", "self.conv1(h)", r"bfloat16|precision|dtype",
    ),
]  # fmt: skip
