"""``explain`` with several calls."""

from running import explained, run


def test_the_ledger_is_over_all_calls_and_the_explanation_of_the_first(with_jax) -> None:
    calls = ["f32[8]", "f32[8],", "f32[9], mode='sum'"]
    arguments = [word for text in calls for word in ("--call", text)]
    explanation = explained("model_jax.py:choose", *arguments[:4])
    assert explanation["arguments"] == ["f32[8]"]
    rows = explanation["ledger"]["calls"]
    assert [row["arguments"] for row in rows] == ["f32[8]", "f32[8]"]
    assert [row["compilations"]["traces"] for row in rows] == [1, 0]
    assert [row["error"] for row in rows] == [None, None]
    result = run("model_jax.py:choose", *arguments)
    assert result.exit_code == 0
    assert "choose in JAX" in result.stdout
    assert "f32[9], mode='sum'" in result.stdout


def test_the_ledger_gives_jax_s_reasons_and_none_that_explaining_brought_in(with_jax) -> None:
    calls = ["--call", "f32[8], 2", "--call", "f32[8], 2", "--call", "f32[9], 2"]
    rows = explained("model_jax.py:power", *calls)["ledger"]["calls"]
    assert [row["compilations"]["traces"] for row in rows] == [1, 0, 1]
    reasons = [" ".join(row["compilations"]["reasons"]) for row in rows]
    assert reasons[0] == "first call"
    assert "user_context" not in str(reasons)
    assert "[9]" in reasons[2]


def test_keyword_only_and_static_arguments_in_a_ledger(with_jax) -> None:
    calls = ["--call", "f32[8]", "--call", "f32[8]"]
    explanation = explained("model_jax.py:keywords", *calls, "--static", "scale=3")
    rows = explanation["ledger"]["calls"]
    assert [row["arguments"] for row in rows] == ["f32[8], scale=3"] * 2
    assert [row["compilations"]["traces"] for row in rows] == [1, 0]


def test_a_torch_ledger_whose_calls_change_their_arguments(with_torch) -> None:
    calls = ["--call", "f32[3], f32[3]", "--call", "f32[3], f32[3]", "--call", "f32[3], 2, n=3"]
    explanation = explained("model_torch.py:add_", *calls)
    rows = explanation["ledger"]["calls"]
    assert [row["compilations"]["programs"] for row in rows] == [1, 0, 1]
    assert [row["error"] for row in rows] == [None] * 3
