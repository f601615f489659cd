"""The reason and the cure of a graph break are one plain sentence each.

``conftest.py`` checks that for every break that the other tests of this folder produce.
"""

import json
from pathlib import Path

import pytest
import sentences

from jaxvstorch import explain
from jaxvstorch._explain import breaks

BUILTIN = """Attempted to call function marked as skipped
  Explanation: Dynamo does not know how to trace the builtin `{}.` This function is either a \
Python builtin (e.g. _warnings.warn) or a third-party C/C++ Python extension.
  Hint: If it is a Python builtin, please file an issue on GitHub.
"""
DISABLED = """Skip calling `torch.compiler.disable()`d function
  Explanation: Skip calling function `<function made.<locals>.f at 0x7fc57e47c860>` since it was \
wrapped with `torch.compiler.disable` (reason: None)
"""
RAISED = """Observed exception
  Explanation: Dynamo found no exception handler at the top-level compiled function when \
encountering an exception. Exception will propagate outside the compiled region.
  Hint: Your code may result in an error when running in eager.

  Developer debug context: raised exception {}
"""
TYPE_ERROR = """TypeError when making fake tensor call
  Explanation:

  Developer debug context: TypeError <built-in method ones of type object at 0x7f>: ones(): \
argument 'size' (position 1) must be tuple of ints, not str
"""
NUMPY = """attempted to trace numpy function unsupported by PyTorch
  Explanation: Can't find numpy numpy function <{} at 0x7FC5B15F7B40> in torch._numpy.
"""
NUMPY_CURE = (
    "Use the PyTorch function that does the same. If there is none, call NumPy in a function "
    "decorated with torch.library.custom_op, or outside the compiled function."
)


@pytest.mark.parametrize(
    ("text", "reason", "cure"),
    [
        (
            BUILTIN.format("time.time"),
            "Dynamo does not know how to trace the builtin `time.time`.",
            "Take the time outside the compiled function, and pass it as an argument.",
        ),
        (
            BUILTIN.format("<unknown module>.Random.random"),
            "Dynamo does not know how to trace the builtin `Random.random`.",
            "Use PyTorch's random numbers, or draw before the call and pass a tensor.",
        ),
        *(
            (
                BUILTIN.format(name),
                f"Dynamo does not know how to trace the builtin `{name}`.",
                cure,
            )
            for name, cure in (
                ("time.sleep", "Wait outside the compiled function."),
                (
                    "_thread.allocate_lock",
                    "Call it outside the compiled function; or wrap it in torch.library.custom_op "
                    "if it computes with tensors.",
                ),
            )
        ),
        (
            DISABLED,
            "torch.compiler.disable keeps Dynamo out of `made.<locals>.f`.",
            "Call the function outside the compiled one, or remove torch.compiler.disable if the "
            "function can be traced. Where the break is meant, leave out fullgraph=True.",
        ),
        (
            NUMPY.format("bound method RandomState.normal of RandomState(MT19937)"),
            "PyTorch has no counterpart of NumPy's `RandomState.normal`.",
            NUMPY_CURE,
        ),
        (
            NUMPY.format("built-in function packbits"),
            "PyTorch has no counterpart of NumPy's `packbits`.",
            NUMPY_CURE,
        ),
        (
            RAISED.format("KeyError('a')"),
            "Dynamo met an error that the function does not catch: `KeyError('a')`.",
            "Correct the key, or use .get(key, default).",
        ),
        (
            RAISED.format("IndexError('list index out of range')"),
            "Dynamo met an error that the function does not catch: "
            "`IndexError('list index out of range')`.",
            'Call the function with torch.compiler.set_stance("force_eager"). If the same error '
            "comes, correct the line that it names. If none comes, Dynamo cannot trace that line: "
            "move it out of the compiled function.",
        ),
        (
            TYPE_ERROR,
            "TypeError when making fake tensor call: `ones(): argument 'size' (position 1) must be "
            "tuple of ints, not str`.",
            "Correct the argument's name or type after the signatures in the message: a tensor's "
            "axis is dim=, not axes=.",
        ),
        (
            "Tensor.random_ op\n  Explanation: This is currently not supported.\n",
            "Dynamo does not support this: Tensor.random_ op.",
            "Do this outside the compiled function, or with torch's own functions.",
        ),
        (
            "generic_jump TensorVariable()",
            "Which branch runs depends on a tensor's value, which is not known while tracing.",
            "Choose with torch.where, which computes both sides, or with torch.cond, which takes "
            "the branches as functions. Without fullgraph=True the branch runs in Python, between "
            "two graphs.",
        ),
        (
            "Something new",
            "Something new.",
            "Do this outside the compiled function, or with torch's own functions.",
        ),
    ],
)
def test_a_reason_is_in_plain_words(text, reason, cure) -> None:
    assert breaks.reason(text) == reason
    assert breaks.cure(text).text == cure


def test_dynamos_hint_to_report_a_builtin_is_no_cure() -> None:
    assert breaks.cure_inside(BUILTIN.format("made.up")) is breaks.CALL_OUTSIDE


def test_every_reason_that_dynamo_knows_is_one_sentence() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    registry = Path(torch.__file__).with_name("_dynamo") / "graph_break_registry.json"
    entries = [e[0] for e in json.loads(registry.read_text(encoding="utf-8")).values()]
    assert len(entries) > 300
    for entry in entries:
        text = f"{entry['Gb_type']}\n  Explanation: {entry['Explanation']}\n  Hint: Do. And do.\n"
        assert sentences.is_one(breaks.reason(text)), text
        assert sentences.are_some(breaks.cure(text).text), text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One. Two.",
        "No end",
        "Two ends..",
        "Said (e.g. so):.",
        "An object at 0x7f.",
        "Two\nlines.",
    ],
)
def test_what_is_no_plain_sentence(text) -> None:
    assert not sentences.is_one(text)


@pytest.mark.usefixtures("fresh_torch_compile")
def test_a_function_that_dynamo_leaves_out_and_the_call_of_one_that_breaks_have_cures() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")

    @torch.compiler.disable
    def left_out(x):
        return x + 1

    def breaks_inside(x):
        torch._dynamo.graph_break()
        return x + 1

    def calls(x):
        x = left_out(x)
        return breaks_inside(x) * 2

    cures = {f.what: f.cure for f in explain(calls, torch.ones(3)).found("break")}
    reason, cure = breaks.left_out("", "torch.compiler.disable")
    assert cures[reason] == cure.text
    assert cures["The function calls torch._dynamo.graph_break."].startswith(
        "Remove the call of graph_break()"
    )
    assert cures[breaks.CALL] == breaks.CALL_CURE.text
