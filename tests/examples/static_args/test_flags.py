"""A boolean option."""

from typing import Any

import numpy as np
import pytest
from static_calls import X

from jaxvstorch import ledger
from jaxvstorch.examples import static_args


def test_jax_leaves_out_the_branch_not_taken(jax) -> None:
    def program(function, robust) -> str:
        static = () if function is static_args.jax.loss_where else (2,)
        return str(jax.make_jaxpr(function, static_argnums=static)(X, X, robust))

    assert "log1p" in program(static_args.jax.loss, True)
    assert "log1p" not in program(static_args.jax.loss, False)
    both = program(static_args.jax.loss_where, np.True_)
    assert "log1p" in both
    assert "select_n" in both


def test_jax_traces_once_per_value_of_a_static_flag_and_once_for_a_flag_that_is_an_array(jax):
    static = jax.jit(static_args.jax.loss, static_argnames="robust")
    assert ledger(static, [(X, X, flag) for flag in (True, False, True)]).traces == [1, 1, 0]
    traced = jax.jit(static_args.jax.loss_where)
    assert ledger(traced, [(X, X, flag) for flag in (True, False, True)]).traces == [1, 0, 0]


def test_jax_cannot_decide_on_a_flag_that_was_not_declared(jax) -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError, match="value of the argument robust"):
        jax.jit(static_args.jax.loss)(X, X, True)


def graphs_of(torch, function, *arguments) -> list[str]:
    """The code of every graph that Dynamo makes of one call."""
    found = []

    def keep(graph: Any, inputs: Any) -> Any:
        found.append(graph.code)
        return graph.forward

    torch.compile(function, backend=keep)(*arguments)
    return found


def test_torch_leaves_out_the_branch_not_taken(torch) -> None:
    x = torch.from_numpy(X)
    (with_option,) = graphs_of(torch, static_args.torch.loss, x, x, True)
    (without,) = graphs_of(torch, static_args.torch.loss, x, x, False)
    assert "log1p" in with_option
    assert "log1p" not in without
    (both,) = graphs_of(torch, static_args.torch.loss_where, x, x, torch.tensor(True))
    assert "log1p" in both
    assert "where" in both


def test_torch_compiles_once_per_value_of_a_flag_without_being_told(torch) -> None:
    x = torch.from_numpy(X)
    book = ledger(
        torch.compile(static_args.torch.loss, backend="eager"),
        [(x, x, flag) for flag in (True, False, True)],
    )
    assert book.traces == [1, 1, 0]
    assert book.rows()[1][-1] == "robust: True → False"
