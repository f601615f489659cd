"""A boolean option."""

import numpy as np
import pytest
from programs import graphs
from static_calls import X

from jaxvstorch import ledger


def test_jax_leaves_out_the_branch_not_taken(jax, in_jax) -> None:
    def program(function, robust) -> str:
        static = () if function is in_jax.loss_where else (2,)
        return str(jax.make_jaxpr(function, static_argnums=static)(X, X, robust))

    assert "log1p" in program(in_jax.loss, True)
    assert "log1p" not in program(in_jax.loss, False)
    both = program(in_jax.loss_where, np.True_)
    assert "log1p" in both
    assert "select_n" in both


def test_jax_traces_once_per_value_of_a_static_flag_and_once_for_a_flag_that_is_an_array(
    jax, in_jax
):
    static = jax.jit(in_jax.loss, static_argnames="robust")
    assert ledger(static, [(X, X, flag) for flag in (True, False, True)]).traces == [1, 1, 0]
    traced = jax.jit(in_jax.loss_where)
    assert ledger(traced, [(X, X, flag) for flag in (True, False, True)]).traces == [1, 0, 0]


def test_jax_cannot_decide_on_a_flag_that_was_not_declared(jax, in_jax) -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError, match="value of the argument robust"):
        jax.jit(in_jax.loss)(X, X, True)


def test_torch_leaves_out_the_branch_not_taken(torch, in_torch) -> None:
    x = torch.tensor(X)
    (with_option,) = graphs(torch, in_torch.loss, x, x, True)
    (without,) = graphs(torch, in_torch.loss, x, x, False)
    assert "log1p" in with_option.code
    assert "log1p" not in without.code
    (both,) = graphs(torch, in_torch.loss_where, x, x, torch.tensor(True))
    assert "log1p" in both.code
    assert "where" in both.code


def test_torch_compiles_once_per_value_of_a_flag_without_being_told(torch, in_torch) -> None:
    x = torch.tensor(X)
    book = ledger(
        torch.compile(in_torch.loss, backend="eager"),
        [(x, x, flag) for flag in (True, False, True)],
    )
    assert book.traces == [1, 1, 0]
    assert book.rows()[1][-1] == "robust: True → False"


def test_xla_makes_one_loop_of_both_sides_and_the_choice(jax, in_jax) -> None:
    text = jax.jit(in_jax.loss_where).lower(X, X, np.True_).compile().as_text()
    assert " conditional(" not in text
    (body,) = (part for part in text.split("\n\n") if " log-plus-one(" in part)
    assert " subtract(" in body
    assert " select(" in body
