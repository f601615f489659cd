"""Functions of JAX itself and of packages of functions on top of it.

Each call is built when a test needs it, so that only then its package is imported.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple


class Call(NamedTuple):
    """A function and its arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012  # never changed

    def by_jax(self) -> Any:
        """The jaxpr, made by JAX itself: arrays are traced, everything else stays as it is."""
        import jax

        function, arrays = self._flat()
        return jax.make_jaxpr(function)(arrays)

    def compile(self) -> Any:
        """What ``jax.jit`` compiles."""
        import jax

        function, arrays = self._flat()
        return jax.jit(function).lower(arrays).compile()

    def _flat(self) -> tuple[Callable[[list[Any]], list[Any]], list[Any]]:
        """A function of a list of arrays that does the same, and these arrays."""
        import jax

        leaves, tree = jax.tree.flatten(self)

        def flat(arrays: list[Any]) -> list[Any]:
            values = iter(arrays)
            merged = [next(values) if isinstance(x, jax.Array) else x for x in leaves]
            function, args, kwargs = jax.tree.unflatten(tree, merged)
            result = jax.tree.leaves(function(*args, **kwargs))
            return [leaf for leaf in result if isinstance(leaf, jax.Array)]

        return flat, [leaf for leaf in leaves if isinstance(leaf, jax.Array)]


BUILDERS: dict[str, Callable[[], Call]] = {}
PACKAGES: dict[str, str] = {}


def of(package: str) -> Callable[[Callable[[], Call]], Callable[[], Call]]:
    """Register the builder of a call of a package's function."""

    def keep(builder: Callable[[], Call]) -> Callable[[], Call]:
        BUILDERS[builder.__name__] = builder
        PACKAGES[builder.__name__] = package
        return builder

    return keep


def vector() -> Any:
    import jax.numpy as jnp

    return jnp.linspace(0.1, 1.0, 4)


def matrix() -> Any:
    import jax.numpy as jnp

    return jnp.linspace(0.1, 1.0, 12).reshape(3, 4)


def squares(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp.sum((x - 1) ** 2)


@of("jax")
def norm_logpdf() -> Call:
    from jax.scipy import stats

    return Call(stats.norm.logpdf, (vector(), vector()), {"scale": vector()})


@of("jax")
def logsumexp() -> Call:
    from jax.scipy import special

    return Call(partial(special.logsumexp, axis=0), (matrix(),), {"b": matrix()})


@of("jax")
def expm() -> Call:
    from jax.scipy import linalg

    return Call(linalg.expm, (matrix()[:, :3],))


@of("jax")
def conjugate_gradients() -> Call:
    from jax.scipy.sparse import linalg

    return Call(linalg.cg, (matrix().T @ matrix(), vector()))


@of("jax")
def minimize() -> Call:
    from jax.scipy.optimize import minimize

    return Call(minimize, (squares, vector()), {"method": "BFGS"})


@of("jax")
def relu() -> Call:
    import jax

    return Call(jax.nn.relu, (vector(),))


@of("jax")
def gelu() -> Call:
    import jax

    return Call(jax.jit(jax.nn.gelu, static_argnames="approximate"), (vector(),),
                {"approximate": False})  # fmt: skip


@of("jax")
def polyval() -> Call:
    import jax.numpy as jnp

    return Call(jnp.polyval, (vector(), vector()))


@of("jax")
def associative_scan() -> Call:
    import jax

    return Call(jax.lax.associative_scan, (jax.numpy.add, vector()))


@of("jax")
def odeint() -> Call:
    from jax.experimental.ode import odeint

    return Call(odeint, (decay, vector(), vector()))


def decay(y: Any, t: Any) -> Any:
    return -t * y


@of("jax")
def stax_network() -> Call:
    import jax
    from jax.example_libraries import stax

    init, apply = stax.serial(stax.Dense(3), stax.Relu, stax.Dense(2), stax.LogSoftmax)
    return Call(apply, (init(jax.random.key(0), (-1, 4))[1], matrix()))


@of("jax")
def nonzero() -> Call:
    import jax.numpy as jnp

    return Call(jnp.nonzero, (vector(),))


@of("optax")
def adam() -> Call:
    import optax

    adam = optax.adam(1e-3)
    return Call(adam.update, (vector(), adam.init(vector()), vector()))


@of("optax")
def clip_by_global_norm() -> Call:
    import optax

    clip = optax.clip_by_global_norm(1.0)
    gradients = {"bias": vector(), "weights": matrix()}
    return Call(clip.update, (gradients, clip.init(gradients)))


@of("optax")
def cosine_schedule() -> Call:
    import jax.numpy as jnp
    import optax

    return Call(optax.warmup_cosine_decay_schedule(0.0, 1.0, 10, 100), (jnp.array(3),))


@of("optax")
def cosine_decay_schedule() -> Call:
    import jax.numpy as jnp
    import optax

    return Call(optax.cosine_decay_schedule(1.0, 100), (jnp.array(3),))


@of("optax")
def cross_entropy() -> Call:
    import jax.numpy as jnp
    import optax

    function = optax.softmax_cross_entropy_with_integer_labels
    return Call(function, (matrix(), jnp.array([0, 1, 2])))


@of("optax")
def ctc_loss() -> Call:
    import jax.numpy as jnp
    import optax

    labels = jnp.ones((2, 3), int)
    return Call(optax.ctc_loss, (jnp.ones((2, 5, 4)), jnp.zeros((2, 5)), labels, 0.0 * labels))


@of("optax")
def lbfgs() -> Call:
    import optax

    optimizer, x = optax.lbfgs(), vector()
    state = optimizer.init(x)
    return Call(optimizer.update, (x, state, x), {"value": squares(x), "grad": x,
                                                  "value_fn": squares})  # fmt: skip


@of("optax")
def projection_simplex() -> Call:
    import optax

    return Call(optax.projections.projection_simplex, (vector(),))


@of("optax")
def cosine_similarity_of_other_shapes() -> Call:
    import optax

    return Call(optax.cosine_similarity, (vector(), vector()[:3]))


@of("einops")
def rearrange() -> Call:
    import einops

    return Call(einops.rearrange, (matrix()[None], "b h w -> b (h w)"))


@of("einops")
def reduce() -> Call:
    import einops

    return Call(partial(einops.reduce, h=2), (matrix(), "a (h b) -> a b", "max"))


@of("einops")
def repeat() -> Call:
    import einops

    return Call(partial(einops.repeat, c=2), (matrix(), "a b -> a b c"))


@of("einops")
def rearrange_of_other_axes() -> Call:
    import einops

    return Call(einops.rearrange, (matrix(), "a b c -> a (b c)"))
