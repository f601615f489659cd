"""Operations of JAX, each done in PyTorch on the same values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxvstorch

pytest.importorskip("torch", reason="PyTorch is not installed")
nnx = pytest.importorskip("flax.nnx", reason="flax is not installed")

X = jnp.asarray(np.random.default_rng(0).standard_normal((3, 4)), jnp.float32)
N = jnp.asarray([[3, 0], [1, 1], [2, 3]])

OPERATIONS = {
    "indexing": lambda x, n: (x[:, ::-1], x[1], x[N[:, 0] % 3], x[-1, 1:3]),
    "a place outside": lambda x, n: (x.at[7].get(mode="fill"), x.at[7].get(mode="clip")),
    "updates": lambda x, n: (x.at[0].set(1.0), x.at[n % 3].add(1.0), x.at[9].set(2.0, mode="drop")),
    "slices": lambda x, n: lax.dynamic_update_slice(x, x[:2, :2] * 2, (9, n[0, 1])),
    "reductions": lambda x, n: (x.sum(), x.max(0), x.prod(1), x.argmax(1), (x > 0).any(0), x.var()),
    "products": lambda x, n: (x @ x.T, jnp.einsum("ij,kj->ik", x, x), jnp.tensordot(x, x, 2)),
    "order": lambda x, n: (jnp.sort(x, 0), jnp.argsort(x, 1), lax.top_k(x, 2), jnp.median(x)),
    "shapes": lambda x, n: (x.reshape(2, 6), x.T, jnp.pad(x, ((1, 0), (0, 2))), jnp.roll(x, 1, 1)),
    "numbers": lambda x, n: (
        n // 2,
        n % 2,
        -n // 2,
        jnp.round(x),
        jnp.sign(x),
        x**2,
        abs(x) ** 0.5,
    ),
    "sums": lambda x, n: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cumsum(x, 0, reverse=True)),
    "casts": lambda x, n: (x.astype(jnp.bfloat16), n.astype(bool), (x > 0).astype(int)),
    "functions": lambda x, n: (jax.nn.gelu(x), jnp.tanh(x), lax.rsqrt(x**2), jnp.logaddexp(x, 1.0)),
    "convolution": lambda x, n: lax.conv_general_dilated(
        x[None, None], jnp.ones((2, 1, 2, 2)), (1, 2), "SAME", rhs_dilation=(1, 2)
    ),
    "pooling": lambda x, n: (
        nnx.max_pool(x[None, ..., None], (2, 2), (1, 2), "SAME"),
        nnx.avg_pool(x[None, ..., None], (2, 2), (2, 2)),
        jax.grad(lambda x: (nnx.max_pool(x[None, ..., None], (2, 2)) ** 2).sum())(x),
        lax.reduce_window(n, 99, lax.min, (2, 1), (1, 1), "SAME", (2, 1), (1, 1)),
        lax.reduce_window(x, 1.0, lax.mul, (2, 2), (1, 1), "VALID"),
    ),
    "decompositions": lambda x, n: (
        jnp.linalg.svd(x, full_matrices=False),
        jnp.linalg.svd(x, compute_uv=False),
        jnp.linalg.qr(x + 1j),
        jnp.linalg.eigh(x @ x.T),
        jnp.linalg.eig(x[:, :3]),
        jax.scipy.linalg.lu(x),
        jnp.linalg.cholesky(x @ x.T),
    ),
    "solving": lambda x, n: (
        jnp.linalg.solve(x[:, :3], x),
        jnp.linalg.det(x[:, :3]),
        jnp.linalg.pinv(x),
        jax.scipy.linalg.solve_triangular(x[:, :3], x, lower=True, trans=1),
        jax.grad(lambda x: jnp.linalg.solve(x[:, :3], x).sum())(x),
    ),
    "transforms": lambda x, n: (
        jnp.fft.rfft2(x),
        jnp.fft.irfft(x, n=5),
        jnp.fft.fft(x),
        jnp.fft.ifft(x),
    ),
    "other updates": lambda x, n: (
        x.at[n % 3].multiply(2.0),
        x.at[n[:, 0]].min(0.0),
        x.at[7].max(1.0),
        jax.ops.segment_max(x, jnp.array([1, 0, 1]), 2),
    ),
    "searches": lambda x, n: (
        jnp.searchsorted(jnp.sort(x[0]), x),
        jnp.interp(x, jnp.arange(3.0), jnp.arange(3.0) ** 2),
        jnp.histogram(x, 3),
        jnp.unique(x > 0, size=3),
    ),
    "bits": lambda x, n: (
        lax.bitcast_convert_type(x, jnp.uint8),
        lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint16), jnp.float32),
        jnp.signbit(x),
        lax.shift_right_logical(n - 9, 1),
        jnp.right_shift(n.astype(jnp.uint8), 1),
        lax.reduce_precision(x, 8, 7),
    ),
    "unsigned numbers": lambda x, n: (n.astype(jnp.uint32) - 7) // 5,
    "copies": lambda x, n: (
        jnp.tile(x, (2, 1, 3)),
        jnp.column_stack(list(x)),
        jnp.unstack(x),
        jax.device_put(x),
    ),
    "groups of rows": lambda x, n: lax.ragged_dot(x, jnp.ones((2, 4, 2)), jnp.array([1, 2])),
    "special functions": lambda x, n: (
        jax.scipy.special.polygamma(2, abs(x)),
        jax.scipy.special.zeta(abs(x) + 2, 1.5),
    ),
    "sums that cancel": lambda x, n: (x - x.mean()).mean(0),
    "a gradient": lambda x, n: jax.grad(lambda x: jnp.tanh(x @ x.T)[n % 3, 1].sum())(x),
    "a root": lambda x, n: lax.custom_root(
        lambda y: y * y - n.sum(),
        jnp.float32(4),
        lambda f, y: lax.fori_loop(0, 9, lambda i, y: y - f(y) / (2 * y), y),
        lambda g, y: y / g(jnp.ones_like(y)),
    ),
    "of a batch": lambda x, n: jax.vmap(lambda row, place: row[place])(x, n),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_give_the_same_in_pytorch(name) -> None:
    report = jaxvstorch.port(OPERATIONS[name], X, N)
    calls = [call for line in report.lines.values() for call in line.calls]
    apart = {call.name: call.note for call in calls if call.status in ("differs", "not replayed")}
    # What the map has for these two gives something else here, and the report says so.
    assert set(apart) <= {"x.at[i].multiply", "lax.bitcast_convert_type"}, apart
    assert calls
    assert not {"not in the map"} & set(report.counts()), report
