"""The answers of the autodiff examples, worked out by hand, in NumPy and float64."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def rosenbrock_gradient(x: Array) -> Array:
    """The gradient of the sum of ``100 (x[i+1] - x[i]²)² + (1 - x[i])²``."""
    gradient, rise = np.zeros_like(x), x[1:] - x[:-1] ** 2
    gradient[:-1] = -400 * x[:-1] * rise - 2 * (1 - x[:-1])
    gradient[1:] += 200 * rise
    return gradient


def rosenbrock_hessian_diagonal(x: Array) -> Array:
    """The second derivatives of the same sum, each in one coordinate."""
    diagonal = np.zeros_like(x)
    diagonal[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    diagonal[1:] += 200
    return diagonal


def regression_gradients(
    weights: Array, bias: Array, x: Array, y: Array
) -> tuple[Array, Array, Array, Array]:
    """Mean squared error, predictions, and the error's slopes in weights and bias."""
    prediction = x @ weights + bias
    error = prediction - y
    return np.mean(error**2), prediction, 2 * error @ x / len(y), 2 * np.mean(error)


def tanh_derivative(x: Array, order: int) -> Array:
    """Each derivative of tanh is a polynomial in ``t = tanh(x)``, whose slope is ``1 - t²``."""
    polynomial = np.polynomial.Polynomial([0, 1])
    for _ in range(order):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1, 0, -1])
    value: Array = polynomial(np.tanh(x))
    return value


def jacobian(w: Array, x: Array) -> Array:
    """The Jacobian of ``tanh(w @ x)`` in ``x``."""
    slope: Array = 1 - np.tanh(w @ x) ** 2
    return slope[:, None] * w


def log_sum_exp_hvp(w: Array, x: Array, v: Array) -> Array:
    """For each row, ``diag(p) - p pᵀ`` times its push ``x v``, where ``p`` is its softmax."""
    exponential = np.exp(x @ w - (x @ w).max(axis=1, keepdims=True))
    p, push = exponential / exponential.sum(axis=1, keepdims=True), x @ v
    product: Array = x.T @ (p * push - p * (p * push).sum(axis=1, keepdims=True))
    return product


def per_example_gradients(w: Array, x: Array, y: Array) -> Array:
    """For each row, the slope of the sum of ``(tanh(row @ w) - y)²`` in ``w``."""
    value = np.tanh(x @ w)
    slope: Array = 2 * (value - y) * (1 - value**2)
    return x[:, :, None] * slope[:, None, :]


def round_half_even(x: Array) -> Array:
    """The nearest whole number; of two equally near, the even one."""
    return np.round(x)


def kepler(mean: Array, eccentricity: Array) -> Array:
    """The root of ``E - e sin E = M`` by bisection; it lies within ``e`` of ``M``."""
    low, high = mean - eccentricity, mean + eccentricity
    for _ in range(60):
        middle = (low + high) / 2
        is_low = middle - eccentricity * np.sin(middle) < mean
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return (low + high) / 2


def log1pexp(x: Array) -> Array:
    """``log(1 + exp(x))``."""
    return np.logaddexp(x, 0)


def identity(x: Array, limit: float) -> Array:
    """The input."""
    return x


def residual_mlp(x: Array, w_in: Array, w_out: Array) -> Array:
    """Each block adds to its input what two layers make of it."""
    for into, out in zip(w_in, w_out, strict=True):
        x = x + np.tanh(x @ into) @ out
    return x
