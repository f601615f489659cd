"""What a draft trains with where flax and optax have no such thing; it gets the source of each."""

import math

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax


def named_parameters(module, prefix=""):
    """The weights of a module and of those inside, after PyTorch's names."""
    names = {"kernel": "weight", "embedding": "weight", "scale": "weight"}
    layer = type(module).__module__.startswith("flax.")
    for name, value in vars(module).items():
        if isinstance(value, nnx.Param):
            yield prefix + (names.get(name, name) if layer else name), value
        elif isinstance(value, nnx.Module):
            inner = prefix if isinstance(module, nnx.Sequential) else f"{prefix}{name}."
            yield from named_parameters(value, inner)


def named_modules(module, prefix=""):
    """A module and those inside, after PyTorch's names."""
    yield prefix.removesuffix("."), module
    for name, value in vars(module).items():
        if isinstance(value, nnx.Module):
            layers = isinstance(module, nnx.Sequential)  # in a list, which PyTorch has not
            inner = list(named_modules(value, prefix if layers else f"{prefix}{name}."))
            yield from inner[1:] if layers else inner


def trainable(_, value):
    """Whether a variable is a weight that is trained: a filter for optimizers and gradients."""
    return isinstance(value, nnx.Param) and value.get_metadata("requires_grad", True)


def set_trainable(weights, value):
    """Let a weight, or all of a module, be trained or stay as they are."""
    inside = (
        [weights] if isinstance(weights, nnx.Param) else [w for _, w in nnx.iter_graph(weights)]
    )
    for weight in inside:
        if isinstance(weight, nnx.Param):
            weight.set_metadata(requires_grad=value)


@nnx.jit
def apply_gradients(model, optimizer, grads):
    """Take a step of an optimizer, compiled."""
    optimizer.update(model, grads)


class Scheduler:
    """Sets an optimizer's learning rate by a schedule, one count at each step."""

    def __init__(self, optimizer, schedule):
        self.optimizer, self.schedule, self.count = optimizer, schedule, -1
        self.step()

    def step(self):
        self.count += 1
        rate = self.optimizer.opt_state.hyperparams["learning_rate"]
        rate[...] = self.schedule(self.count)

    def get_last_lr(self):
        return [self.optimizer.opt_state.hyperparams["learning_rate"].item()]


class ReduceLROnPlateau:
    """Lowers an optimizer's learning rate after steps whose value is no better than the best."""

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel",
        cooldown=0, min_lr=0.0, eps=1e-8,
    ):  # fmt: skip
        self.optimizer, self.factor, self.patience = optimizer, factor, patience
        self.sign = 1 if mode == "min" else -1
        self.threshold, self.relative = self.sign * threshold, threshold_mode == "rel"
        self.cooldown, self.min_lr, self.eps = cooldown, min_lr, eps
        self.best, self.bad, self.waiting = self.sign * math.inf, 0, 0

    def step(self, value):
        value, least = float(value), self.best - self.threshold
        if self.relative:
            least = self.best * (1 - self.threshold)
        better = self.sign * value < self.sign * least
        self.best = value if better else self.best
        self.bad = 0 if better or self.waiting else self.bad + 1
        self.waiting = max(self.waiting - 1, 0)
        if self.bad > self.patience:
            self.bad, self.waiting = 0, self.cooldown
            rate = self.optimizer.opt_state.hyperparams["learning_rate"]
            new = max(rate.item() * self.factor, self.min_lr)
            rate[...] = new if rate.item() - new > self.eps else rate.item()

    def get_last_lr(self):
        return [self.optimizer.opt_state.hyperparams["learning_rate"].item()]


def one_cycle(max_lr, total_steps, pct_start=0.3, div_factor=25.0, final_div_factor=1e4):
    """The rate of ``OneCycleLR`` at each step: a cosine up to its peak, and one down."""
    first, top = max_lr / div_factor, pct_start * total_steps - 1

    def schedule(step):
        begin, end, share = first, max_lr, step / top
        if step > top:
            begin, end = max_lr, first / final_div_factor
            share = (step - top) / (total_steps - 1 - top)
        return end + (begin - end) * (1 + math.cos(math.pi * share)) / 2

    return schedule


def grouped(module, groups, optimizer):
    """An optimizer for groups of a module's weights, which have settings of their own.

    Args:
        module: whose weights they are; those in no group stay as they are.
        groups: each is a dict of its ``params`` and of settings.
        optimizer: makes the optimizer of optax for the settings of a group.
    """
    label = {id(p): str(n) for n, group in enumerate(groups) for p in group["params"]}
    labels = jax.tree.map(
        lambda p: label.get(id(p), "none"),
        nnx.state(module, nnx.Param),
        is_leaf=lambda p: isinstance(p, nnx.Param),
    )
    settings = [{k: v for k, v in group.items() if k != "params"} for group in groups]
    each = {str(n): optimizer(**own) for n, own in enumerate(settings)}
    return optax.partition(each | {"none": optax.set_to_zero()}, labels)


class Categorical:
    """A distribution over classes, by their probabilities or the logarithms of these."""

    def __init__(self, probs=None, logits=None):
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdims=True)
            rounding = jnp.finfo(self.probs.dtype).eps
            self.logits = jnp.log(jnp.clip(self.probs, rounding, 1 - rounding))
        else:
            self.logits = jax.nn.log_softmax(logits)
            self.probs = jnp.exp(self.logits)

    def sample(self, sample_shape=(), *, key):
        shape = (*sample_shape, *self.probs.shape[:-1])
        return jax.random.categorical(key, jnp.log(self.probs), shape=shape)

    def log_prob(self, value):
        shape = jnp.broadcast_shapes(value.shape, self.logits.shape[:-1])
        logits = jnp.broadcast_to(self.logits, (*shape, self.logits.shape[-1]))
        classes = jnp.broadcast_to(value, shape).astype(int)[..., None]
        return jnp.take_along_axis(logits, classes, axis=-1)[..., 0]

    def entropy(self):
        finite = jnp.maximum(self.logits, jnp.finfo(self.logits.dtype).min)
        return -(self.probs * finite).sum(-1)

    def kl_from(self, other):
        """Its Kullback-Leibler divergence from another one."""
        terms = self.probs * (self.logits - other.logits)
        terms = jnp.where(other.probs == 0, jnp.inf, terms)
        return jnp.where(self.probs == 0, 0, terms).sum(-1)


class Normal:
    """A normal distribution."""

    def __init__(self, loc, scale):
        self.loc, self.scale = jnp.broadcast_arrays(*map(jnp.asarray, (loc, scale)))
        self.mean, self.stddev, self.variance = self.loc, self.scale, self.scale**2

    def sample(self, sample_shape=(), *, key):
        return lax.stop_gradient(self.rsample(sample_shape, key=key))

    def rsample(self, sample_shape=(), *, key):
        shape = (*sample_shape, *self.loc.shape)
        return self.loc + self.scale * jax.random.normal(key, shape, self.loc.dtype)

    def log_prob(self, value):
        return jax.scipy.stats.norm.logpdf(value, self.loc, self.scale)

    def cdf(self, value):
        return jax.scipy.stats.norm.cdf(value, self.loc, self.scale)

    def icdf(self, value):
        return jax.scipy.stats.norm.ppf(value, self.loc, self.scale)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + jnp.log(self.scale)

    def kl_from(self, other):
        """Its Kullback-Leibler divergence from another one."""
        ratio = (self.scale / other.scale) ** 2
        distance = ((self.loc - other.loc) / other.scale) ** 2
        return 0.5 * (ratio + distance - 1 - jnp.log(ratio))


def kl_divergence(p, q):
    """The Kullback-Leibler divergence of two distributions."""
    return p.kl_from(q)
