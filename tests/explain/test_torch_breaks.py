"""Graph breaks of PyTorch: where they are, their reasons and their cures."""

import logging
import time

import pytest
from commented_functions import X, cases, check_comments
from torch_library_functions import mixture_of_experts

from jaxvstorch import explain
from jaxvstorch._explain import breaks

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

case, test_marks = cases("torch")


@case(X)
def branches_on_a_value(x):
    y = x * 2  # -> A1
    if y.sum() > 0:  # -> python, A2 ! break
        return y + 1  # -> B1
    return y - 1  # -> not reached


@case(X)
def asks_for_a_number(x):
    y = x * 2  # -> A1
    n = y.sum().item()  # -> python, A1 ! break
    return y + n  # -> B1


@case(X)
def prints_between(x):
    y = x + 1  # -> A1
    print("here")  # -> python ! break
    return y * 2  # -> B1


@torch.compiler.disable
def not_compiled(x):
    return torch.cos(x)  # -> python ! break


@case(X)
def calls_a_disabled_one(x):
    y = torch.sin(x)  # -> A1
    z = not_compiled(y)  # -> python ! break
    return z + y  # -> B1


def asks_for_an_address(x):
    return x if x.data_ptr() % 16 == 0 else x.clone()


def prints_inside(x):
    x = x + 1  # -> B1
    print("inside")  # -> python ! break
    return x * 2  # -> C1


@case(X)
def calls_one_that_breaks(x):
    y = x * 3  # -> A1
    z = prints_inside(y)  # -> python, B1, C1 ! break
    return z - y  # -> D1


@case(X)
def reads_the_clock(x):
    now = time.perf_counter()  # -> python ! break
    return x + now  # -> A1


@case(X)
def prints_in_a_loop(x):
    for i in range(3):  # -> python
        print(i)  # -> python ! break
        x = x + 1  # -> python
    return x  # -> python


@case(X)
def breaks_in_a_try(x):
    try:  # -> python
        y = x.sum().item()  # -> python ! break
    except ValueError:  # -> not reached
        y = 0  # -> not reached
    return x + y  # -> python


def prints_first(x):
    print("inside")  # -> python ! break
    return x * 2  # -> A1


@case(X)
def calls_it_twice(x):
    y = prints_first(x)  # -> python, A1 ! break
    z = prints_first(y)  # -> python ! break
    return y + z  # -> B1


def test_dynamo_does_not_print_what_is_found_and_prints_it_later_still() -> None:
    def takes_a_number(x):
        return x * x.sum().item()

    def keep(record: logging.LogRecord) -> bool:
        printed.append(record.getMessage())
        return False

    printed: list[str] = []
    logger = logging.getLogger("torch._dynamo.variables.tensor")
    torch._dynamo.variables.tensor.TensorVariable._warn_capture_scalar_outputs.cache_clear()
    logger.addFilter(keep)
    try:
        assert explain(takes_a_number, torch.ones(2)).found("break")
        assert printed == []
        torch.compile(takes_a_number, backend="eager")(torch.ones(2))
        assert "Graph break from `Tensor.item()`" in printed[0]
    finally:
        logger.removeFilter(keep)


@pytest.mark.parametrize(
    ("function", "words", "cure", "page"),
    [
        (prints_between, "print", "print it outside", "tracing"),
        (branches_on_a_value, "tensor's value", "torch.cond", "branching"),
        (asks_for_a_number, ".item()", "Leave item() out", "shapes-values"),
        (prints_in_a_loop, "print", "print it outside", "tracing"),
        (breaks_in_a_try, ".item()", "Leave item() out", "shapes-values"),
        (asks_for_an_address, "operand type(s) for %", "data_ptr()", "methods-ways-out"),
    ],
)
def test_a_break_has_its_reason_and_cure(function, words, cure, page) -> None:
    (finding,) = explain(function, torch.arange(4.0)).found("break")
    assert words in finding.what
    assert cure in finding.cure
    assert finding.page == page


def test_a_break_under_fullgraph_is_an_error() -> None:
    explanation = explain(torch.compile(prints_between, fullgraph=True), torch.arange(4.0))
    (finding,) = explanation.found("failed")
    assert explanation.programs == ()
    assert "print" in finding.what
    assert "print it outside" in finding.cure
    assert finding.line == explanation.sources[0].lines[3].number


def one_line(x): return [print(v) or v for v in x.tolist()]  # fmt: skip


def in_a_loop(x): return [print(i) or x for i in range(2)]  # fmt: skip


@pytest.mark.parametrize("function", [one_line, in_a_loop])
def test_one_line_that_dynamo_leaves_out_is_pythons(function) -> None:
    explanation = explain(function, torch.ones(3))
    assert explanation.programs == ()
    assert [line.mark for line in explanation.sources[0].lines] == ["python"]
    assert explanation.found("break")


def itself(value):
    return value


def twice(value):
    pair = (value, value)
    return pair


def kind(value):
    return type(value)


@pytest.mark.parametrize("function", [torch.nn.Identity(), itself, twice, kind])
@pytest.mark.parametrize("argument", [torch.ones(3), 3], ids=["tensor", "number"])
def test_nothing_to_compile_is_no_break(function, argument) -> None:
    torch.compile(function, fullgraph=True, backend="eager")(argument)  # accepts it
    assert explain(function, argument, framework="torch").found("break") == []


@pytest.fixture
def model() -> torch.nn.Module:
    return torch.nn.Linear(3, 1)


def test_a_break_inside_of_a_library_names_its_place(model) -> None:
    optimizer = torch.optim.LBFGS(model.parameters())

    def step(x):
        def loss():
            optimizer.zero_grad()
            value = model(x).sum()
            value.backward()
            return value

        optimizer.step(loss)
        return x

    findings = {f.line: f for f in explain(step, torch.ones(4, 3)).found("break")}
    inside = findings[step.__code__.co_firstlineno + 7]
    assert "inside `torch/optim/" in inside.what
    assert ", line " in inside.what
    assert inside.cure == "Make this call outside the compiled function."


def test_every_break_in_a_library_is_reported() -> None:
    made = mixture_of_experts()

    def mixing(x):
        return made.function(x)

    explanation = explain(mixing, *made.args)
    findings = explanation.found("break")
    assert {f.line for f in findings} == {mixing.__code__.co_firstlineno + 1}
    locations = {f.what.partition("`: ")[0] for f in findings}
    assert len(locations) == len(findings) == 2
    assert all("inside `transformers/models/mixtral/" in location for location in locations)
    assert any("capture_dynamic_output_shape_ops" in f.cure for f in findings)  # Dynamo's own hint


def test_dynamos_own_hint_is_shown_where_there_is_one() -> None:
    generic = ["It may be possible to write Dynamo tracing rules for this code. Please report it."]
    text = f"""Something unsupported
  Explanation: Dynamo cannot do this.
  Hint: {generic[0]}
  Hint: Use `torch.other(x)` in place of it. Or use
    nothing at all.

  Developer debug context: none"""
    assert breaks.cure(text, generic).text == "Use `torch.other(x)` in place of it."
    assert breaks.cure(text).text.startswith("It may be possible")
    assert "torch's own functions" in breaks.cure(text.partition("  Hint: Use")[0], generic).text


def test_python_s_own_library_is_reported_once_a_line() -> None:
    def logs(x):
        logging.warning("half way")
        return x + 1

    (inside,) = explain(logs, torch.ones(3)).found("break")
    assert "inside `logging/" in inside.what
    assert inside.cure == "Make this call outside the compiled function."


def test_an_error_is_reported_once() -> None:
    def mismatched(x):
        y = x @ torch.ones(5)
        return y + 1

    (finding,) = explain(mismatched, torch.ones(3)).findings
    assert finding.kind == "failed"


def test_an_object_has_the_name_that_its_method_gives_it() -> None:
    class Counting(torch.nn.Module):
        def forward(me, x):  # noqa: N805
            me.calls = 3
            return x + 1

    (finding,) = explain(Counting(), torch.ones(3)).findings
    assert finding.what.startswith("`me.calls` is changed")


class _Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(3, 3)

    def forward(self, x):
        return self.lstm(x)[0]


@pytest.mark.parametrize("make", [_Recurrent, lambda: torch.nn.GRU(3, 3)], ids=["inside", "alone"])
def test_dynamos_own_reason_for_a_module_that_it_does_not_take(make) -> None:
    (finding,) = explain(make(), torch.ones(2, 2, 3)).found("break")
    assert finding.what == "Dynamo does not support RNN, GRU, or LSTM."


@torch.compiler.disable(recursive=False)
def shallow(x):
    y = x * 2
    return plus_one(y)


def plus_one(x):
    return x + 1


def calls_shallow(x):
    return shallow(x - 1)


def test_a_function_that_is_disabled_without_what_it_calls() -> None:
    explanation = explain(calls_shallow, torch.ones(3))
    assert explanation.marks("shallow") == [
        "y = x * 2  # python",
        "return plus_one(y)  # python, B1",
    ]
    assert explanation.found("break")[-1].what.endswith("keeps Dynamo out of `shallow`.")


@torch.compiler.disable
def switched_off(x):
    return x + 1


@pytest.mark.parametrize(
    ("stance", "switch"),
    [
        ("default", "torch.compiler.disable"),
        ("force_eager", "torch.compiler.set_stance('force_eager')"),
    ],
)
def test_what_switches_dynamo_off_is_named(stance, switch) -> None:
    called = switched_off if stance == "default" else plus_one
    with torch.compiler.set_stance(stance):
        found = explain(lambda x: called(x) * 2, torch.ones(3)).found("break")
    assert (f"{breaks.LEFT_OUT}{switch} switches Dynamo off.", f"Remove {switch}.") in [
        (f.what, f.cure) for f in found
    ]


def test_operations_of_an_optimizer_stand_at_the_line_that_steps() -> None:
    from torch._dynamo.testing import CompileCounter

    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.optim.lr_scheduler.StepLR(optimizer, 1)
    model(torch.ones(2, 4)).sum().backward()

    def step(x):
        y = x * 2  # -> A1
        optimizer.step()  # -> python, B2 ! break, break
        return y  # -> python

    explanation = explain(step, torch.ones(3))
    check_comments(explanation)
    for finding in explanation.findings:
        assert finding.cure.startswith("Compile the step alone, without fullgraph=True")
    counter = CompileCounter()
    torch.compile(optimizer.step, backend=counter)()
    assert counter.frame_count == 1


def counts_up(x):
    while x < 2000:
        x = x + 1
    return x


def test_a_break_in_a_loop_is_kept_where_the_calls_are_too_deep() -> None:
    found = explain(counts_up, torch.tensor(0.0)).findings
    assert {finding.kind for finding in found} == {"break", "failed"}
    assert "torch.while_loop" in found[0].cure


def asserts(x):
    assert x.sum() > 0, "not positive"
    return x * 2


def test_an_assert_that_pytest_has_rewritten_breaks_the_graph() -> None:
    (finding,) = explain(asserts, torch.ones(3)).found("break")
    assert finding.line == asserts.__code__.co_firstlineno + 1


class _Recompiled(torch.nn.Module):
    def forward(self, x, n):
        return x * n


def test_nothing_is_called_disabled_past_the_limit_of_recompilations() -> None:
    torch._logging.set_logs(dynamo=logging.ERROR)  # it logs that the limit was reached
    compiled = torch.compile(_Recompiled(), backend="eager", dynamic=False)
    for n in range(12):
        compiled(torch.ones(3), n + 2)
    torch._logging.set_logs()
    (finding,) = explain(_Recompiled(), torch.ones(3), 2).found("break")
    assert finding.what == breaks.left_out("")[0]
