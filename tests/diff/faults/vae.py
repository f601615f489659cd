"""Faults in a port of a variational autoencoder: `models/vae_jax.py`."""

from faults.fault import Fault

FAULTS = [
    Fault(
        "vae: variance for deviation",
        "jnp.exp(0.5 * logvar) * noise", "jnp.exp(logvar) * noise",
        "jnp.exp(logvar) * noise", "torch.exp(0.5 * logvar)",
        None,
    ),
    Fault(
        "vae: noise not scaled",
        "jnp.exp(0.5 * logvar) * noise", "noise",
        "z = mean + noise", "torch.exp(0.5 * logvar)", r"leaves out",
    ),
    Fault(
        "vae: logarithm for deviation",
        "jnp.exp(0.5 * logvar) * noise", "logvar * noise",
        "logvar * noise", "torch.exp(0.5 * logvar)", None,
    ),
    Fault(
        "vae: mean and variance swapped",
        "mean, logvar = jnp.split", "logvar, mean = jnp.split",
        "logvar, mean = jnp.split", "mean, logvar = self.stats", r"swap|order|instead|operand",
        "jnp.exp(0.5 * logvar) * noise", "torch.exp(0.5 * logvar) * noise",
    ),
    Fault(
        "vae: transposed kernels not flipped",
        "jnp.flip(weight.swapaxes(0, 1), (2, 3))", "weight.swapaxes(0, 1)",
        "self.up1(h)", "self.up1(h)", r"flip|revers|kernel|weight",
    ),
    Fault(
        "vae: transposed kernels flipped along one axis",
        "jnp.flip(weight.swapaxes(0, 1), (2, 3))", "jnp.flip(weight.swapaxes(0, 1), 2)",
        "self.up1(h)", "self.up1(h)", None,
    ),
    Fault(
        "vae: biases left behind",
        "bias = bias.reshape(layer.bias.shape)", "bias = jnp.zeros_like(layer.bias)",
        "self.conv1(x)", "self.conv1(x)", r"bias|weight|param",
    ),
    Fault(
        "vae: strided convolution padded the same",
        "eqx.nn.Conv2d(1, 8, 3, 2, padding=1,", 'eqx.nn.Conv2d(1, 8, 3, 2, padding="SAME",',
        "self.conv1(x)", "self.conv1(x)", r"pad",
    ),
    Fault(
        "vae: relu for elu",
        "jax.nn.elu(self.conv2(h))", "jax.nn.relu(self.conv2(h))",
        "jax.nn.relu(self.conv2(h))", "F.elu(self.conv2(h))", r"elu|activation",
    ),
    Fault(
        "vae: selu for elu",
        "jax.nn.elu(self.dense(z))", "jax.nn.selu(self.dense(z))",
        "jax.nn.selu(", "F.elu(self.dense(z))", r"in place of alpha",
    ),
    Fault(
        "vae: hard sigmoid",
        "jax.nn.sigmoid(self.up2(h))", "jax.nn.hard_sigmoid(self.up2(h))",
        "jax.nn.hard_sigmoid(", "torch.sigmoid(", r"sigmoid|activation",
    ),
    Fault(
        "vae: flattened with the channels last",
        "h.ravel()", "h.transpose(1, 2, 0).ravel()",
        "h.transpose(1, 2, 0).ravel()", "h.flatten(1)",
        r"order|axes|transpos|layout|channel|reshape",
    ),
    Fault(
        "vae: channels last before the transposed convolution",
        "h.reshape(16, 4, 4)", "h.reshape(4, 4, 16).transpose(2, 0, 1)",
        "h.reshape(4, 4, 16)", "h.view(-1, 16, 4, 4)",
        None,
        "self.up1(h)", "self.up1(h)",
    ),
    Fault(
        "vae: mean over the latent numbers",
        ".sum(-1).mean()", ".mean()",
        "divergence = -0.5 *", ".sum(-1).mean()", r"in place of dim",
    ),
    Fault(
        "vae: divergence not halved",
        "-0.5 * (1 + logvar", "-(1 + logvar",
        "divergence = -(1", "divergence = -0.5 *", r"2 times",
    ),
    Fault(
        "vae: squared error for the likelihood",
        "-(x * jnp.log(y) + (1 - x) * jnp.log1p(-y)).sum()", "((x - y) ** 2).sum()",
        "(x - y) ** 2", "F.binary_cross_entropy(", None,
    ),
    Fault(
        "vae: likelihood of each pixel",
        ".sum() / len(x)", ".mean()",
        "likelihood = -(x", "F.binary_cross_entropy(", r"sum|mean|reduction|factor|scale|times",
    ),
    Fault(
        "vae: bfloat16 latent numbers",
        "self.dense(z)", "self.dense(z.astype(jnp.bfloat16))",
        "z.astype(jnp.bfloat16)", "self.dense(z)", r"bfloat16|precision|dtype",
    ),
]  # fmt: skip
