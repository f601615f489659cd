"""``jaxvstorch.port`` and ``jaxvstorch.replaying``, on functions of PyTorch."""

import importlib
import json
import math
import threading
from dataclasses import replace

import pytest

import jaxvstorch
from jaxvstorch._port.map.rows import rows
from jaxvstorch._port.rendering.html import fragment
from jaxvstorch._port.report import PortReport
from jaxvstorch._port.report_data import Location, PortCall, PortStatus

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
jnp = pytest.importorskip("jax.numpy", reason="JAX is not installed")

from jaxvstorch._port import judging  # noqa: E402


def scaled(x, factor):
    return x * factor / x.std()


def drawn(x):
    return x + torch.randn(3)


def failing(x):
    y = x + 1
    raise KeyError(y.sum().item())


def statuses(report) -> dict[str, str]:
    return {call.name: call.status for line in report.lines.values() for call in line.calls}


def test_a_function() -> None:
    report = jaxvstorch.port(scaled, torch.tensor([1.0, 2.0, 4.0]), 3)
    assert report.counts() == {"verified": 3}
    (line,) = report.lines.values()
    assert line.text == "return x * factor / x.std()"
    assert "jnp.std(x, ddof=1)" in str(report)


def test_the_largest_difference_of_the_calls_of_a_line(monkeypatch) -> None:
    row = rows()["torch.exp2"]
    wrong = replace(row, expression="jnp.exp2(input) + 1e-6 * input")
    monkeypatch.setitem(rows()._rows, "torch.exp2", wrong)
    judging._jax_function.cache_clear()

    def doubled(x):
        return torch.exp2(x)

    with jaxvstorch.replaying() as report:
        for step in (1.0, 3.0, 2.0):
            doubled(torch.tensor([step]))
    judging._jax_function.cache_clear()
    calls = [item for line in report.lines.values() for item in line.calls.items()]
    ((call, times),) = [item for item in calls if item[0].name == "torch.exp2"]
    assert (call.status, times) == ("verified", 3)
    assert call.gap == pytest.approx(3e-6, rel=0.3)
    assert f"(3 times)  off by {call.gap:.1e}" in str(report)


def test_nothing_is_verified_where_nothing_counts() -> None:
    assert jaxvstorch.port(torch.randn, 3).verified is None
    assert PortReport().verified is None


def test_each_status_has_a_mark_of_its_own() -> None:
    assert len({status.sign for status in PortStatus}) == len(PortStatus)


def test_equal_results_are_reported_as_equal() -> None:
    report = jaxvstorch.port(torch.flip, torch.tensor([1.0, float("nan")]), (0,))
    assert "  equal" in str(report)
    assert report.to_dict()["lines"][0]["calls"][0]["gap"] == 0


def test_a_module() -> None:
    report = jaxvstorch.port(torch.nn.Linear(2, 3), torch.ones(1, 2))
    assert report.counts() == {"verified": 1}
    ((call, _),) = next(iter(report.lines.values())).calls.items()
    assert call.becomes == "nnx.Linear(2, 3, param_dtype=jnp.float32, rngs=rngs)(input)"


def test_a_block() -> None:
    with jaxvstorch.replaying(limit=2) as report:
        for _ in range(5):
            torch.ones(2).cumsum(0)
    assert report.counts() == {"verified": 4}
    assert report.beyond == 6


def test_a_block_in_a_block_is_in_both_reports() -> None:
    x = torch.ones(2)
    with jaxvstorch.replaying() as outer:
        x.sin()
        with jaxvstorch.replaying() as inner:
            torch.nn.functional.relu(x * 2)
        report = jaxvstorch.port(scaled, x, 3)
    assert inner.counts() == {"verified": 2}
    assert report.counts() == {"verified": 3}
    assert outer.counts() == {"verified": 6}


def test_an_error_of_the_program_is_raised_and_the_report_kept() -> None:
    x = torch.ones(2)
    with jaxvstorch.replaying() as report, pytest.raises(KeyError):
        failing(x)
    assert report.counts() == {"verified": 3}


def test_random_numbers_stay_the_same() -> None:
    torch.manual_seed(0)
    alone = [drawn(torch.zeros(3)), torch.rand(2)]
    torch.manual_seed(0)
    with jaxvstorch.replaying() as report:
        replayed = [drawn(torch.zeros(3)), torch.rand(2)]
    assert all(map(torch.equal, alone, replayed))
    assert statuses(report)["torch.randn"] == "random"


def test_calls_in_place_are_compared_by_copies_of_their_arguments() -> None:
    x = torch.ones(3)
    with jaxvstorch.replaying() as report:
        x.mul_(2)
        x[0] = 5
    assert report.counts() == {"verified": 2}
    assert x.tolist() == [5, 2, 2]


def test_a_difference_is_found() -> None:
    with jaxvstorch.replaying() as report:
        torch.tensor([float("nan")]).sign()
    assert statuses(report)["Tensor.sign"] == "differs"
    assert "differs: NaN" in str(report)


def test_float64_is_compared_as_such() -> None:
    with jaxvstorch.replaying() as report:
        torch.ones(3, dtype=torch.float64) / 3
    assert report.counts() == {"verified": 2}


def test_other_threads_are_not_watched() -> None:
    with jaxvstorch.replaying() as report:
        thread = threading.Thread(target=lambda: torch.ones(2) + 1)
        thread.start()
        thread.join()
    assert not report.lines


def test_nothing_is_watched_afterwards() -> None:
    with jaxvstorch.replaying() as report:
        pass
    torch.ones(2) + 1
    torch.nn.ReLU()(torch.ones(2))
    assert not report.lines


def test_a_report_shows_itself_in_a_notebook() -> None:
    report = jaxvstorch.port(scaled, torch.ones(3), 3)
    assert report._repr_html_() == fragment(report)
    assert repr(report) == str(report)
    assert "jaxvstorch-port" in fragment(report)


def test_a_note_shows_code_as_code() -> None:
    report = jaxvstorch.port(lambda w: w.sum().backward(), torch.ones(3, requires_grad=True))
    assert "<code>value, grads = jax.value_and_grad(loss)(params)</code>: the call" in fragment(
        report
    )


def halves(x):
    yield x / 2


X = torch.ones(2)
ENDLESS: list = [X]
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: jaxvstorch.port(3), TypeError, "port needs something to call, not int"),
        (lambda: jaxvstorch.port(scaled, torch.ones(2), 1, limit=0), ValueError, "positive"),
        (lambda: jaxvstorch.replaying(limit=0).__enter__(), ValueError, "limit must be positive"),
        (lambda: jaxvstorch.port(scaled, X, 1, limit=1.5), TypeError, "whole number, not 1.5"),
        (lambda: jaxvstorch.port(scaled, X, 1, limit=math.nan), TypeError, "whole number, not nan"),
        (lambda: jaxvstorch.port(abs, 1), ValueError, "pass framework="),
        (
            lambda: jaxvstorch.port(abs, X, framework="jax"),
            ValueError,
            "the arguments are PyTorch's",
        ),
        (
            lambda: jaxvstorch.port(torch.exp, 1.0, framework="jax"),
            ValueError,
            "the function is PyTorch's",
        ),
        (lambda: jaxvstorch.port(torch.exp, jnp.ones(2)), ValueError, "of both frameworks"),
        (lambda: jaxvstorch.port(halves, X), TypeError, "halves is a generator function"),
        (lambda: jaxvstorch.port(scaled, ENDLESS, 1), TypeError, "an argument holds itself"),
        (lambda: jaxvstorch.port(abs, 1, framework="tf"), ValueError, "framework must be 'jax' or"),
    ],
)
def test_bad_input(call, error, says) -> None:
    with pytest.raises(error, match=says):
        call()


def test_a_gap_that_json_has_no_number_for_is_left_out() -> None:
    report = PortReport("torch")
    for number, gap in enumerate((math.nan, math.inf, 1.0)):
        call = PortCall("torch.exp", None, PortStatus.DIFFERS, "", gap)
        report.add(Location("file.py", number + 1), call)
    lines = json.loads(json.dumps(report.to_dict(), allow_nan=False))["lines"]
    assert [line["calls"][0]["gap"] for line in lines] == [None, None, 1.0]


def test_a_function_whose_file_has_changed_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "edited_later.py"
    file.write_text("def scaled(x):\n    return x * 2\n")
    function = importlib.import_module("edited_later").scaled
    assert jaxvstorch.port(function, X).counts() == {"verified": 1}
    file.write_text("def scaled(x):\n    return x * 7\n")
    with pytest.raises(ValueError, match="has changed since it was imported"):
        jaxvstorch.port(function, X)
