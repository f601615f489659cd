"""The words for what differs, and what is shown first."""

from jaxvstorch._port.map.entry import entry_of
from jaxvstorch._port.map.kinds import KINDS, MEANINGS, PROBES, explained, place, rarity
from jaxvstorch._port.map.rows import jax_rows, rows
from jaxvstorch._port.map.verdict import NameDifference, verdicts


def test_each_kind_has_a_word() -> None:
    recorded = verdicts().names.values()
    kinds = {each.kind for verdict in recorded for each in (*verdict.differences, *verdict.first)}
    assert kinds <= {*KINDS}
    assert {*PROBES} <= {probe.kind for probe in verdicts().probes}


def test_two_results_that_differ_never_read_alike() -> None:
    recorded = verdicts().names.items()
    differences = [(name, each) for name, verdict in recorded for each in verdict.differences]
    assert [pair for pair in differences if pair[1].torch == pair[1].jax] == []


def test_two_words_never_mean_one_kind() -> None:
    assert len({kind.word for kind in KINDS.values()}) == len(KINDS)


def test_a_word_that_is_not_plain_is_explained() -> None:
    assert "has no dimensions" in explained("axis of a scalar array")
    assert explained("other shape") == "other shape"
    assert {*MEANINGS} < {kind.word for kind in KINDS.values()} | {w for w, _ in PROBES.values()}


def test_a_gradient_at_an_infinity_is_at_a_kink() -> None:
    assert "infinity" in explained("gradient at a kink")


def test_an_ordinary_call_is_less_rare_than_a_special_one() -> None:
    calls = [
        "float32 (3 by 4), 1, int64 [0] (1 by 1)",
        "float16 [-8., -2.]",
        "float32 (0 by 3)",
        "float32 [nan, 1.]",
    ]
    assert [rarity(call) for call in calls] == sorted({rarity(call) for call in calls})
    assert rarity("float32 [-8., -2.], dim=()") > rarity("float32 [-8., -2.], dim=0")
    assert rarity("complex64 [1.+infj]") == rarity("float32 [inf]")
    assert rarity("()(key, (40, 100))") == rarity("float32 (10 by 3)") == 0


def test_what_most_people_meet_stands_first() -> None:
    for row in (*rows().values(), *jax_rows().values()):
        places = [place(difference) for difference in entry_of(row).differences]
        assert places == sorted(places), row.name


def test_a_kind_that_few_meet_comes_after_the_others() -> None:
    def difference(kind: str, call: str) -> NameDifference:
        return NameDifference(KINDS[kind].word, call, "1", "2", 1)

    value, axis = difference("value", "float32 [1.]"), difference("0-d", "float32 1.")
    assert sorted([difference("NaN", "nan"), axis, value], key=place)[:2] == [value, axis]


def test_the_first_reason_against_the_first_code_is_an_ordinary_call() -> None:
    (reason,) = entry_of(rows()["torch.std"]).first_differs
    assert rarity(reason.call) == 0
