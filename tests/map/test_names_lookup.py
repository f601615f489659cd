"""Names as people write them."""

import pytest
from queries import QUERIES, wrong

from jaxvstorch._port.map.lookup import find, in_expressions, nearest, tables
from jaxvstorch._port.map.pasting import to_paste
from jaxvstorch._port.map.rows import jax_rows, rows


def test_nineteen_of_twenty_questions_have_the_right_answer_first() -> None:
    first = {typed: next((row.name for row in find(typed)), None) for typed in QUERIES}
    assert len(wrong(first)) <= len(QUERIES) / 20, wrong(first)


def test_what_answers_a_question_in_words_is_in_the_map() -> None:
    answers = {name for names in tables().asked.values() for name in names}
    assert [name for name in answers if name not in rows() and name not in jax_rows()] == []


def test_a_name_of_jax_without_a_line_finds_the_names_that_it_translates() -> None:
    name = next(name for name in in_expressions() if name not in jax_rows())
    assert find(name) == in_expressions()[name]


def test_an_unknown_name_has_neighbours_that_look_like_it() -> None:
    assert find("torch.gahter") == []
    assert nearest("torch.gahter")[0] == "torch.gather"
    assert nearest("gathr")[0].endswith("gather")
    assert nearest("einops.rearrange") == nearest("ne") == []


def test_a_pasted_function_comes_with_what_it_calls() -> None:
    assert set(to_paste(rows()["torch.scatter_add"])) == {"scatter", "_positions"}


def test_a_name_is_a_string() -> None:
    with pytest.raises(TypeError, match=r"a string such as 'torch.gather', not 3"):
        find(3)
