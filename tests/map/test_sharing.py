"""Rows that are one thing say one thing of it."""

from collections import defaultdict

import pytest

from jaxvstorch._port.map.entry import entry_of
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.map.sharing import APART, merged, same_expression
from jaxvstorch._port.map.verdict import NameDifference, Verdict


def test_rows_of_one_expression_do_not_contradict_each_other() -> None:
    by_expression = defaultdict(set)
    for name, row in rows().items():
        if row.expression is not None and name not in APART:
            entry = entry_of(row)
            by_expression[row.expression].add((entry.verdict, frozenset(entry.kinds)))
    assert {text: said for text, said in by_expression.items() if len(said) > 1} == {}


def test_a_module_shares_what_differs_with_its_function() -> None:
    assert "torch.nn.functional.hardtanh" in same_expression(rows()["torch.nn.Hardtanh"])
    assert "dtype of the result" in entry_of(rows()["torch.nn.Hardtanh"]).kinds


def test_a_shared_kind_is_shown_by_the_rows_own_example() -> None:
    def verdict(call: str) -> Verdict:
        return Verdict({"own": 2}, 1, (NameDifference("value", call, "1", "2", 1),))

    both = merged([verdict("mine"), verdict("theirs")])
    assert [(d.call, d.times) for d in both.differences] == [("mine", 2)]
    assert (both.tried, both.agreed) == ({"own": 4}, 2)


def test_names_of_one_object_have_one_line() -> None:
    pytest.importorskip("torch", reason="its names are compared")
    from tools.check_map.aliases import aliases, apart

    assert apart() == []
    assert {"torch.double", "torch.float64"} in [set(names) for names in aliases()]
