"""Find where a NaN comes from (detect_anomaly).

``jax.debug_nans`` runs a compiled function again, operation by operation, once its result holds a
NaN, and raises at the operation. It costs a wait at every call.
"""

PAGE = "debugging"
NAMES = (
    "torch.autograd.set_detect_anomaly",
    "torch.autograd.detect_anomaly",
    "torch.autograd.anomaly_mode.detect_anomaly",
    "jax.debug_nans",
)


def with_torch():
    import warnings

    import torch

    x = torch.tensor(0.0, requires_grad=True)
    try:
        with warnings.catch_warnings(action="ignore"), torch.autograd.detect_anomaly():
            (torch.sqrt(x) * 0).backward()
    except RuntimeError as error:
        text = str(error)
    torch.autograd.set_detect_anomaly(False)  # True switches it on for the rest of the program
    return "nan" in text


def with_jax():
    import jax
    import jax.numpy as jnp

    gradient = jax.jit(jax.grad(lambda x: jnp.sqrt(x) * 0))
    try:
        with jax.debug_nans(True):
            gradient(0.0)
    except FloatingPointError as error:
        text = str(error)
    return "nan" in text
