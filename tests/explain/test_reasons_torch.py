"""Why Dynamo compiled again, or did not, in a ledger."""

import functools
import logging
import threading
import types

import pytest

from jaxvstorch import call, ledger

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.usefixtures("fresh_torch_compile")

F3, F4 = torch.ones(3), torch.ones(4)
factor = 2.0


def scaled(x, n=2):
    return x * n


def summed(x, y):
    return x.sum() + y.sum()


def product(a, b):
    return a @ b


def maybe(x, b=None):
    return x * 2 if b is None else x + b


def flagged(x, training):
    return x * 2 if training else -x


def by_name(x, tree):
    return x * sum(tree.values())


def nested(x, tree):
    return x * tree["a"]["b"][0]


def along(x, axes):
    return x.sum(axes)


def applied(x, act):
    return act(x) * 2


def total(xs):
    return sum(x.sum() for x in xs)


def spread(x, number):
    return x.expand(number, 3) + torch.ones(number, 3)


def emptied(x, made):
    return x * 2 if made else x + 1


def multiply_by(slope):
    def multiplied(x):
        return x * slope

    return multiplied


SQUARE, OTHER = torch.ones(2, 2), torch.zeros(2, 2)
CASES = [
    (scaled, [(F3,), (F4,)], "x: f32[3] → f32[4], now any size"),
    (scaled, [(F3,), (F4,), (torch.ones(1),)],
     "x: f32[1]; the program for any size needs 2 <= x.shape[0]"),
    (scaled, [(F3,), (F3.int(),)], "x: f32[3] → i32[3]"),
    (scaled, [(F3,), (torch.ones(3, requires_grad=True),)], "x: requires_grad False → True"),
    (scaled, [(F3, 4), (F3, 8)], "n: 4 → 8, now any number"),
    (scaled, [(F3, 4), (F3, 8), (F3, 2.5)], "n: 8 → 2.5"),
    (scaled, [(F3, 4.0), (F3, 8.0), (F3, torch.tensor(1.0))], "n: 8.0 → f32[]"),
    (scaled, [call(F3, n=4), call(F3, n=8)], "n: 4 → 8, now any number"),
    (summed, [(F3, F3.clone()), (F3, F3)], "x and y: two tensors → the same tensor twice"),
    (product, [(SQUARE, OTHER), (SQUARE.T, OTHER)], "a: strides (2, 1) → (1, 2)"),
    (product, [(SQUARE, SQUARE), (SQUARE.T, SQUARE)], "a: strides (2, 1) → (1, 2)"),
    (maybe, [(F3,), (F3, F3.clone())], "b: None → f32[3]"),
    (flagged, [(F3, True), (F3, False)], "training: True → False"),
    (by_name, [(F3, {"w": F4[:3]}), (F3, {"w": F4[:3], "b": F4[1:]})],
     "tree: keys ['w'] → ['w', 'b']"),
    (by_name, [(F3, {"w": F4[:3]}), (F3, {"v": F4[:3]})],
     "tree: keys ['w'] → ['v']"),
    (by_name, [(F3, {"a": 1, "b": 2}), (F3, {"a": 1, "c": 2}), (F3, {"a": 1, "b": 2, "c": 5})],
     "tree: keys ['a', 'b'] → ['a', 'b', 'c']"),
    (nested, [(F3, {"a": {"b": [1]}}), (F3, {"a": {"b": [2]}})],
     "tree['a']['b'][0]: 1 → 2, now any number"),
    (along, [(SQUARE, [0]), (SQUARE, [0, 1])], "axes: length 1 → length 2"),
    (along, [(SQUARE, [0]), (SQUARE, (0,))], "axes: [0] → (0,)"),
    (applied, [(F3, torch.sin), (F3, torch.cos)], "act: sin → cos"),
    (applied, [(F3, multiply_by(2.0)), (F3, multiply_by(3.0))],
     "slope that act closes over: 2.0 → 3.0, now any number"),
    (scaled, [(F3,), (F3.double(),), (torch.ones(3, requires_grad=True),)],
     "x: requires_grad False → True"),
    (scaled, [(F3,), (F4,), (torch.ones(1),), (torch.ones(0),)],
     "x: f32[0]; the program for any size needs 2 <= x.shape[0]"),
    (total, [([F3, F4[:3]],), ([F3, F4[:3], F4[1:]],), ([F3, F3.double()],)],
     "xs[1]: f32[3] → f64[3]"),
    (total, [([F3, F3],), ([F3, F3.double()],)], "xs[1]: f32[3] → f64[3]"),
    (spread, [(F3, 4), (F3, 5), (F3, 1)],
     "number: 1; the program for any number needs number != 1"),
    (applied, [(F3, lambda x: x + 1), (F3, lambda x: x - 1)], "act: another function"),
    (emptied, [(F3, []), (F3, [1])], "made: length 0 → length 1"),
    (applied, [(F3, functools.partial(torch.clamp, min=0)),
               (F3, functools.partial(torch.clamp, min=3))],
     "act.keywords['min']: 0 → 3, now any number"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "calls", "why"), CASES)
def test_the_last_call_is_explained_from_the_nearest_one(function, calls, why) -> None:
    book = ledger(torch.compile(function, backend="eager"), calls)
    assert [call.error for call in book.calls] == [None] * len(calls)
    assert book.calls[0].why == "first call"
    assert book.calls[-1].why == why


def test_a_later_ledger_reports_a_global_a_setting_and_a_closure(monkeypatch) -> None:
    by_global = torch.compile(lambda x: x * factor, backend="eager")
    assert ledger(by_global, [(F3,)]).calls[0].why == "first call"
    with torch.no_grad():
        assert ledger(by_global, [(F3,)]).calls[0].why == "gradients recorded: on → off"
    with torch.autocast("cpu"):
        assert ledger(by_global, [(F3,)]).calls[0].why == "autocast: off → on"
    monkeypatch.setitem(globals(), "factor", 5.0)
    assert ledger(by_global, [(F3,)]).calls[0].why.startswith("global factor: 2.0 → 5.0")
    multiply = multiply_by(2.0)
    compiled = torch.compile(multiply, backend="eager")
    ledger(compiled, [(F3,)])
    multiply.__closure__[0].cell_contents = 3.0
    assert ledger(compiled, [(F3,)]).calls[0].why.startswith("closed-over slope: 2.0 → 3.0")


def test_a_memory_layout_is_compared_with_the_nearest_of_two_programs() -> None:
    compiled = torch.compile(product, backend="eager")
    ledger(compiled, [(SQUARE, OTHER)])
    with torch.no_grad():
        ledger(compiled, [(SQUARE, OTHER)])
    (call,) = ledger(compiled, [(SQUARE.T, OTHER)]).calls
    assert call.why == "a: strides (2, 1) → (1, 2)"


def test_a_module_s_attributes() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout())
    compiled = torch.compile(module, backend="eager")
    ledger(compiled, [(F3,)])
    module.eval()
    why = ledger(compiled, [(F3,)]).calls[0].why
    assert "training: True → False" in why
    assert "_modules" not in why
    module[0].requires_grad_(False)
    assert "weight: requires_grad True → False" in ledger(compiled, [(F3,)]).calls[0].why


def test_modules_of_torch_are_told_apart_although_they_share_their_programs() -> None:
    linear, dropout = torch.nn.Linear(3, 3), torch.nn.Dropout()
    first, second = (torch.compile(module, backend="eager") for module in (linear, dropout))
    assert [call.why for call in ledger(first, [(F3,), (SQUARE.repeat(2, 2)[:, :3],)]).calls] == [
        "first call",
        "input: f32[3] → f32[4,3], now any size",
    ]
    assert ledger(second, [(F3,)]).calls[0].why == "first call"
    linear.requires_grad_(False)
    (call,) = ledger(first, [(F3,)]).calls
    assert "self.weight: requires_grad True → False" in call.why


class Model:
    """Attributes of an object and of its class."""

    factor = 2

    def __init__(self) -> None:
        """Without parameters."""
        self.layers = [1]

    @torch.compile(backend="eager")
    def scaled(self, x):
        """As people write it."""
        return x * self.factor * len(self.layers)


def test_attributes_of_an_object_and_of_its_class(monkeypatch) -> None:
    model = Model()
    ledger(model.scaled, [(F3,)])
    monkeypatch.setattr(Model, "factor", 3)
    (call,) = ledger(model.scaled, [(F3,)]).calls
    assert call.why == "type(self).factor: 2 → 3, now any number"
    model.layers.append(2)
    (call,) = ledger(model.scaled, [(F3,)]).calls
    assert call.why == "self.layers: length 1 → length 2"


def test_another_backend() -> None:
    ledger(torch.compile(scaled, backend="eager"), [(F3,)])
    (call,) = ledger(torch.compile(scaled, backend="aot_eager"), [(F3,)]).calls
    assert call.why == "compiled before, but with another backend or other options"


def test_first_call_appears_once_and_a_break_s_other_branch_is_reported() -> None:
    def branching(x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    book = ledger(torch.compile(branching, backend="eager"), [(F3,), (-F3,), (F4,)])
    assert book.calls[0].why == "first call"
    line = branching.__code__.co_firstlineno + 1
    assert book.calls[1].why == f"first time past the graph break at line {line}"
    assert book.calls[2].why == "x: f32[3] → f32[4], now any size"


@pytest.fixture
def limited():
    """A function of which two programs are compiled at most."""
    logger = logging.getLogger("torch._dynamo.convert_frame")
    logger.addFilter(drop := lambda record: False)
    with torch._dynamo.config.patch(recompile_limit=2):
        yield lambda **options: torch.compile(scaled, backend="eager", dynamic=False, **options)
    logger.removeFilter(drop)


def test_past_the_limit_a_call_runs_uncompiled(limited) -> None:
    book = ledger(limited(), [(F3, n) for n in (2, 3, 4, 5, 3)])
    assert [call.compilations.uncompiled for call in book.calls] == [0, 0, 1, 1, 0]
    assert [call.why for call in book.calls] == [
        "first call",
        "n: 2 → 3",
        "ran uncompiled: recompile_limit (2) reached; n: 3 → 4",
        "ran uncompiled: the recompile limit was reached before; n: 3 → 5",
        "",
    ]
    assert ledger(limited(), [(F3, 9)]).calls[0].compilations.uncompiled == 1


class Layer(torch.nn.Module):
    """With a number that makes it compile again."""

    def forward(self, x, n=1):
        """As people write it."""
        return x * n


@pytest.mark.parametrize("function", [Layer(), Layer().forward])
def test_past_the_limit_of_a_module_or_a_method(limited, function) -> None:
    compiled = torch.compile(function, backend="eager", dynamic=False)
    book = ledger(compiled, [(F3, n) for n in (2, 3, 4, 5)])
    assert book.calls[3].why.endswith("the recompile limit was reached before; n: 3 → 5")


def test_under_fullgraph_the_limit_is_an_error(limited) -> None:
    book = ledger(limited(fullgraph=True), [(F3, n) for n in (2, 3, 4)])
    assert book.calls[2].error.startswith("FailOnRecompileLimitHit")
    assert book.calls[2].why.endswith("not compiled: recompile_limit (2) reached; n: 3 → 4")


def test_the_accumulated_limit_and_a_stance() -> None:
    compiled = torch.compile(scaled, backend="eager", dynamic=False)
    ledger(compiled, [(F3, 2)])
    with torch.compiler.set_stance("eager_on_recompile"):
        (call,) = ledger(compiled, [(F3, 3)]).calls
    assert call.why == "ran uncompiled: the stance is eager_on_recompile; n: 2 → 3"
    with torch.compiler.set_stance("fail_on_recompile"):
        (call,) = ledger(compiled, [(F3, 3)]).calls
    assert call.why.endswith("; n: 2 → 3")
    assert call.compilations.uncompiled == 0
    with torch._dynamo.config.patch(accumulated_recompile_limit=1):
        (call,) = ledger(compiled, [(F3, 3)]).calls
    assert call.why == "ran uncompiled: accumulated_recompile_limit (1) reached; n: 2 → 3"


FAILED = "ran uncompiled: PyTorch left this function to Python in an earlier call"


def test_a_function_that_dynamo_leaves_to_python_is_no_cache_hit() -> None:
    compiled = torch.compile(doubled_if, backend="eager")
    calls = [(F3, True), (F3, False), (F3.double(), True), (F3, True)]
    book = ledger(compiled, calls)
    assert [call.why for call in book.calls] == [
        "first call",
        "flag: True → False; nothing to compile, left to Python",
        FAILED,
        FAILED,
    ]
    assert [call.compilations.uncompiled for call in book.calls] == [0, 0, 1, 1]


def doubled_if(x, flag):
    return x * 2 if flag else x


def test_where_nothing_was_ever_compiled_nothing_went_uncompiled() -> None:
    book = ledger(torch.compile(lambda x: x, backend="eager"), [(F3,), (F4,)])
    assert book.calls[0].why == "nothing to compile, left to Python"
    assert [call.compilations.uncompiled for call in book.calls] == [0, 0]


def test_a_graph_break_in_a_loop_leaves_the_function_uncompiled() -> None:
    def looped(x):
        for _ in range(2):
            x = x + 1
            torch._dynamo.graph_break()
        return x

    book = ledger(torch.compile(looped, backend="eager"), [(F3,), (F3.double(),)])
    assert book.calls[0].why.startswith("not compiled: graph break in a loop: Call to")
    assert book.calls[1].why == FAILED
    assert [call.compilations.uncompiled for call in book.calls] == [1, 1]
    assert book.breaks == [1, 0]


def test_a_graph_break_in_a_loop_past_another_break_is_reported() -> None:
    def looped(x):
        torch._dynamo.graph_break()
        for _ in range(2):
            x = x + 1
            torch._dynamo.graph_break()
        return x

    (call,) = ledger(torch.compile(looped, backend="eager"), [(F3,)]).calls
    assert "not compiled: graph break in a loop: Call to" in call.why
    assert (call.compilations.breaks, call.compilations.uncompiled) == (2, 1)


def test_a_forced_stance_is_reported_and_an_error_before_the_call_is_not() -> None:
    compiled = torch.compile(scaled, backend="eager")
    with torch.compiler.set_stance("force_eager"):
        (call,) = ledger(compiled, [(F3,)]).calls
    assert (call.why, call.compilations.uncompiled) == (
        "ran uncompiled: the stance is force_eager",
        1,
    )
    (call,) = ledger(compiled, [(F3, 1, 2, 3)]).calls
    assert call.why == call.error
    assert call.compilations.uncompiled == 0


@pytest.mark.parametrize(
    "name", ["compute_cache_size", "exceeds_recompile_limit", "set_guard_complete_hook"]
)
def test_without_dynamo_s_report_nothing_is_called_uncompiled(name, monkeypatch) -> None:
    from jaxvstorch._frameworks import private
    from jaxvstorch._frameworks.private.torch import NAMES

    monkeypatch.setitem(NAMES, name, private.Name("collections:moved", NAMES[name].without))
    book = ledger(torch.compile(doubled_if, backend="eager"), [(F3, True), (F4, True)])
    assert book.programs == [1, 1]
    calls = ledger(torch.compile(lambda x: x, backend="eager"), [(F3,), (F3,)]).calls
    assert [call.compilations.uncompiled for call in book.calls + calls] == [0] * 4
    assert not any("Python" in call.why for call in calls)


def test_names_of_a_module_s_members() -> None:
    from jaxvstorch._explain.torch.guard_names import readable_all

    def name_of(text: str) -> str:
        return readable_all(text, scaled.__code__, {})

    assert name_of("L['s'].__dict__['_modules']['d'].training") == "s.d.training"
    assert name_of("L['s']['_modules']['d']._parameters['w']") == "s.d.w"
    assert name_of("L['s']._modules['1'].__dict__['training']") == "s[1].training"


class Hostile:
    """Raises at every look at it."""

    def __getattr__(self, name):
        """Raise."""
        raise ValueError(name)

    def __repr__(self):
        """Raise."""
        raise ValueError


def test_what_raises_when_it_is_looked_at() -> None:
    compiled = torch.compile(lambda x, thing: x * 2, backend="eager")
    book = ledger(compiled, [(F3, Hostile()), (F4, Hostile())])
    assert book.calls[0].arguments == "f32[3], Hostile"
    assert book.calls[1].why == "x: f32[3] → f32[4], now any size"


def test_where_guards_cannot_be_read_dynamo_s_own_reason_is_shown(monkeypatch) -> None:
    from jaxvstorch._explain.torch import dynamo_cache

    monkeypatch.setattr(dynamo_cache, "guards_of", lambda entry: entry.is_gone)
    book = ledger(torch.compile(flagged, backend="eager"), [(F3, True), (F3, False)])
    assert [call.error for call in book.calls] == [None, None]
    assert "training == True" in book.calls[1].why


def test_ledgers_in_two_threads_leave_nothing_patched() -> None:
    from torch._dynamo import convert_frame

    names = ("compute_cache_size", "exceeds_recompile_limit")
    before = [getattr(convert_frame, name) for name in names]
    reasons_by_thread = {}

    def work(number: int) -> None:
        code = scaled.__code__.replace(co_name=f"scaled_{number}")
        compiled = torch.compile(
            types.FunctionType(code, globals()), backend="eager", dynamic=False
        )
        calls = [(torch.ones(number + size), 3) for size in (2, 3)]
        reasons_by_thread[number] = [call.why for call in ledger(compiled, calls).calls]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, reasons in reasons_by_thread.items():
        assert reasons == ["first call", f"x: f32[{number + 2}] → f32[{number + 3}]"]
    assert [getattr(convert_frame, name) for name in names] == before
