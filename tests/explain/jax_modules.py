"""Modules, samplers and solvers of packages on top of JAX."""

from typing import Any

from jax_functions import Call, matrix, of, squares, vector


def _random() -> Any:
    from flax import nnx

    return nnx.Rngs(0)


def _key() -> Any:
    import jax

    return jax.random.key(0)


@of("flax")
def nnx_linear() -> Call:
    from flax import nnx

    return Call(nnx.Linear(4, 3, rngs=_random()), (matrix(),))


@of("flax")
def nnx_layer_norm() -> Call:
    from flax import nnx

    return Call(nnx.LayerNorm(4, rngs=_random()), (matrix(),))


@of("flax")
def nnx_attention() -> Call:
    from flax import nnx

    attention = nnx.MultiHeadAttention(2, in_features=4, decode=False, rngs=_random())
    return Call(attention, (matrix()[None],))


@of("flax")
def nnx_dropout() -> Call:
    from flax import nnx

    return Call(nnx.Dropout(0.5, rngs=_random()), (matrix(),))


@of("flax")
def nnx_dropout_in_inference() -> Call:
    from flax import nnx

    return Call(nnx.Dropout(0.5, deterministic=True, rngs=_random()), (matrix(),))


@of("flax")
def nnx_batch_norm() -> Call:
    from flax import nnx

    return Call(nnx.BatchNorm(4, rngs=_random()), (matrix(),))


@of("flax")
def nnx_jit() -> Call:
    from flax import nnx

    return Call(nnx.jit(nnx.Linear.__call__), (nnx.Linear(4, 3, rngs=_random()), matrix()))


@of("flax")
def nnx_recurrent() -> Call:
    from flax import nnx

    return Call(nnx.RNN(nnx.GRUCell(4, 3, rngs=_random())), (matrix()[None],))


@of("flax")
def nnx_embed_of_floats() -> Call:
    from flax import nnx

    return Call(nnx.Embed(4, 3, rngs=_random()), (matrix(),))


@of("flax")
def linen_dense() -> Call:
    from flax import linen

    dense = linen.Dense(3)
    return Call(dense.apply, (dense.init(_key(), matrix()), matrix()))


@of("equinox")
def eqx_linear() -> Call:
    import equinox as eqx

    return Call(eqx.nn.Linear(4, 3, key=_key()), (vector(),))


@of("equinox")
def eqx_mlp() -> Call:
    import equinox as eqx

    return Call(eqx.nn.MLP(4, 2, 8, 3, key=_key()), (vector(),))


@of("equinox")
def eqx_conv2d() -> Call:
    import equinox as eqx

    return Call(eqx.nn.Conv2d(1, 2, 3, padding=1, key=_key()), (matrix()[None],))


@of("equinox")
def eqx_gru_cell() -> Call:
    import equinox as eqx

    return Call(eqx.nn.GRUCell(4, 3, key=_key()), (vector(), vector()[:3]))


@of("equinox")
def eqx_dropout_in_inference() -> Call:
    import equinox as eqx

    return Call(eqx.nn.Dropout(0.5), (vector(),), {"inference": True})


@of("equinox")
def eqx_dropout_without_a_key() -> Call:
    import equinox as eqx

    return Call(eqx.nn.Dropout(0.5), (vector(),))


@of("equinox")
def eqx_filter_jit() -> Call:
    import equinox as eqx

    return Call(eqx.filter_jit(eqx.nn.LayerNorm(4)), (vector(),))


@of("equinox")
def eqx_filter_jitted_function() -> Call:
    import equinox as eqx

    linear = eqx.nn.Linear(4, 3, key=_key())
    return Call(eqx.filter_jit(eqx.apply_updates), (linear, linear))


@of("equinox")
def eqx_vmapped_linear() -> Call:
    import equinox as eqx
    import jax

    return Call(jax.vmap(eqx.nn.Linear(4, 3, key=_key())), (matrix(),))


@of("blackjax")
def hmc_step() -> Call:
    import blackjax

    hmc = blackjax.hmc(minus_squares, 0.1, vector(), num_integration_steps=5)
    return Call(hmc.step, (_key(), hmc.init(vector())))


@of("blackjax")
def nuts_step() -> Call:
    import blackjax

    nuts = blackjax.nuts(minus_squares, 0.1, vector())
    return Call(nuts.step, (_key(), nuts.init(vector())))


def minus_squares(x: Any) -> Any:
    return -squares(x)


@of("blackjax")
def effective_sample_size() -> Call:
    import jax
    from blackjax.diagnostics import effective_sample_size

    return Call(effective_sample_size, (jax.random.normal(_key(), (2, 10, 1)),))


def field(t: Any, y: Any, args: Any) -> Any:
    return -t * y


@of("diffrax")
def diffeqsolve() -> Call:
    import diffrax

    term = diffrax.ODETerm(field)
    return Call(diffrax.diffeqsolve, (term, diffrax.Tsit5(), 0.0, 1.0, 0.1, vector()))


@of("diffrax")
def euler_step() -> Call:
    import diffrax

    term = diffrax.ODETerm(field)
    return Call(diffrax.Euler().step, (term, 0.0, 0.1, vector(), None, None, False))


@of("diffrax")
def interpolation() -> Call:
    import diffrax

    return Call(diffrax.LinearInterpolation(vector(), matrix().T).evaluate, (vector()[0],))
