"""Random numbers that a comparison hands to JAX; the test file of a draft gets the source."""

from contextlib import contextmanager
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np


class Draws:
    """What ``jax.random`` draws: the numbers of the n-th draw come from seed n, as in PyTorch."""

    count = 0

    @contextmanager
    def handed_over(self):
        names = ("normal", "uniform", "bernoulli", "randint", "permutation")
        with mock.patch.multiple(jax.random, **{name: getattr(self, name) for name in names}):
            yield

    def numbers(self, shape, kind="uniform"):
        self.count += 1
        return np.asarray(getattr(np.random.default_rng(self.count - 1), kind)(size=shape))

    def array(self, numbers, dtype):
        return jnp.asarray(numbers, jax.dtypes.canonicalize_dtype(dtype))

    def normal(self, key, shape=(), dtype=float, **_):
        return self.array(self.numbers(shape, "normal"), dtype)

    def uniform(self, key, shape=(), dtype=float, minval=0.0, maxval=1.0, **_):
        return minval + (maxval - minval) * self.array(self.numbers(shape), dtype)

    def bernoulli(self, key, p=0.5, shape=None, **_):
        return self.array(self.numbers(jnp.shape(p) if shape is None else shape), float) < p

    def randint(self, key, shape, minval, maxval, dtype=int, **_):
        return self.array(np.floor(minval + self.numbers(shape) * (maxval - minval)), dtype)

    def permutation(self, key, x, *_, **__):
        x = jnp.arange(x) if isinstance(x, int) else x
        return x[np.argsort(self.numbers((len(x),)))]
