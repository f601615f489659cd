"""The ecosystem examples in JAX, with what is built in."""

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.sparse.linalg import cg
from jax.scipy.stats import norm
from jaxtyping import Float, Int


def cross_entropy(
    logits: Float[Array, "examples classes"], labels: Int[Array, " examples"]
) -> Float[Array, ""]:
    """Mean of minus the log of the right class's probability."""
    logs = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logs, labels[:, None], axis=-1).mean()


def layer_norm(
    x: Float[Array, "rows features"],
    scale: Float[Array, " features"],
    shift: Float[Array, " features"],
) -> Float[Array, "rows features"]:
    """Standardise each row, then scale and shift its features."""
    # By default the variance comes from a difference of squares, which large means cancel.
    return jax.nn.standardize(x, epsilon=1e-5, algorithm="stable") * scale + shift


def normal_log_density(
    x: Float[Array, " n"], mean: Float[Array, " n"], scale: Float[Array, " n"]
) -> Float[Array, " n"]:
    """Log density of a normal distribution, with a function of its parameters."""
    return norm.logpdf(x, mean, scale)


def huber_loss(x: Float[Array, " n"], target: Float[Array, " n"]) -> Float[Array, ""]:
    """Mean of half the squared distance where it is below one, and of a straight line beyond."""
    distance = jnp.abs(x - target)
    return jnp.where(distance < 1, distance**2 / 2, distance - 0.5).mean()


def interpolate_linear(
    x: Float[Array, " n"], knots: Float[Array, " k"], values: Float[Array, " k"]
) -> Float[Array, " n"]:
    """Interpolate between increasing knots; beyond them the outer values hold."""
    return jnp.interp(x, knots, values)


def convolve_same(signal: Float[Array, " n"], kernel: Float[Array, " k"]) -> Float[Array, " n"]:
    """Convolve a signal with a kernel that is no longer than it."""
    return jnp.convolve(signal, kernel, mode="same")


def solve_cg(
    matrix: Float[Array, "n n"], target: Float[Array, " n"], steps: int
) -> Float[Array, " n"]:
    """Take ``steps`` steps of conjugate gradients; no tolerance stops them earlier."""
    x, _ = cg(matrix, target, tol=0.0, maxiter=steps)
    return x


def adam_step(
    parameter: Float[Array, " n"],
    gradient: Float[Array, " n"],
    mean: Float[Array, " n"],
    square: Float[Array, " n"],
    step: Int[Array, ""],
) -> tuple[Float[Array, " n"], Float[Array, " n"], Float[Array, " n"]]:
    """One step of Adam with its usual constants; the first step is number 1."""
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient**2
    count = step.astype(parameter.dtype)
    unbiased = jnp.sqrt(square / (1 - 0.999**count))
    change = mean / (1 - 0.9**count) / (unbiased + 1e-8)
    return parameter - 1e-3 * change, mean, square


def segment_sum(
    values: Float[Array, "n d"], segments: Int[Array, " n"], number: int
) -> Float[Array, "number d"]:
    """Sum the rows of each segment; ``number`` sets a shape, and is static."""
    return jax.ops.segment_sum(values, segments, num_segments=number)


def trapezoid(y: Float[Array, " n"], x: Float[Array, " n"]) -> Float[Array, ""]:
    """Area under straight lines from point to point."""
    return jnp.trapezoid(y, x)
