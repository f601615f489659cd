"""Runs the steps of JAX's loops that port does not do again."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun


def scan_sizes(params: dict[str, Any]) -> tuple[int, int]:
    """How many inputs of a scan are constants, and how many are the carry."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = params["ft_in"].elts  # from JAX 0.12 on: the inputs as trees
    return len(consts), len(carry)


def where_going(going: Any, new: Any, old: Any) -> Any:
    """The new carry of a ``while`` loop; in a batch, only of the elements that go on."""
    if going.ndim == 0:
        return new
    return jnp.where(going.reshape(going.shape + (1,) * (new.ndim - going.ndim)), new, old)


def finish_scan(
    eqn: Any,
    consts: Sequence[Any],
    carry: Sequence[Any],
    xs: Sequence[Any],
    walked: Sequence[Sequence[Any]],
) -> list[Any]:
    """The results of a scan; JAX's own runs the steps after those that were walked.

    Args:
        eqn: the scan.
        consts: what each step reads.
        carry: after the steps that were walked.
        xs: of all steps.
        walked: the ``ys`` of each step that was walked, in the order of walking.
    """
    reverse, done, m = eqn.params["reverse"], len(walked), len(carry)
    left = eqn.params["length"] - done
    ys = [jnp.stack(y[::-1] if reverse else y) for y in zip(*walked, strict=True)]
    if done and not left:
        return [*carry, *ys]
    steps = slice(left) if reverse else slice(done, None)
    params = eqn.params | {"length": left, "unroll": 1}
    results = eqn.primitive.bind(*consts, *carry, *(x[steps] for x in xs), **params)
    if not done:
        return list(results)
    parts = [(b, a) if reverse else (a, b) for a, b in zip(ys, results[m:], strict=True)]
    return [*results[:m], *map(jnp.concatenate, parts)]


def finish_while(eqn: Any, consts: Sequence[Any], carry: Sequence[Any]) -> tuple[list[Any], int]:
    """The last carry of a ``while`` loop, by JAX's own, and how many steps that took."""
    params, n = eqn.params, eqn.params["cond_nconsts"]
    test, body = jaxpr_as_fun(params["cond_jaxpr"]), jaxpr_as_fun(params["body_jaxpr"])
    m = params["body_nconsts"]
    # The carry gets a counter; in a batch, one for each element.
    counter = np.zeros(params["cond_jaxpr"].out_avals[0].shape, np.int32)
    counted = {
        "cond_jaxpr": jax.make_jaxpr(lambda *a: test(*a[:n], *a[n + 1 :]))(
            *consts[:n], counter, *carry
        ),
        "body_jaxpr": jax.make_jaxpr(lambda *a: [a[m] + 1, *body(*a[:m], *a[m + 1 :])])(
            *consts[n:], counter, *carry
        ),
    }
    steps, *last = eqn.primitive.bind(*consts, counter, *carry, **params | counted)
    return last, int(steps.max())
