"""What people paste finds its entry, with their own line, and what is not known is not guessed."""

import re
import tomllib
from pathlib import Path

import pytest

from jaxvstorch._errors import lookup
from jaxvstorch._errors.entry import Cure

PASTED = tomllib.loads(Path(__file__).with_name("pasted.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("pasted", PASTED["pasted"], ids=lambda pasted: pasted["source"])
def test_what_people_pasted_finds_its_entry(pasted) -> None:
    found = [match.entry.path for match in lookup.find(pasted["text"])]
    assert found[:1] == [pasted["entry"]] * bool(pasted["entry"])


BRANCH = """\
epoch 1: loss 0.5
Traceback (most recent call last):
  File "/home/me/train.py", line 20, in <module>
    train()
  File "/home/me/train.py", line 12, in step
    while loss > 0.1:
  File "/usr/lib/python3.11/site-packages/jax/_src/core.py", line 750, in __bool__
    def __bool__(self): return self.aval._bool(self)
jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array
This concrete value was not available in Python because it depends on the argument loss.
"""
IN_A_CELL = """\
TracerBoolConversionError                 Traceback (most recent call last)
Cell In[3], line 5
      1 @jax.jit
      2 def f(x):
----> 5     assert x > 0

TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].
"""
UNDER_DYNAMO = """\
Traceback (most recent call last):
  File "/home/me/run.py", line 9, in <module>
    compiled(x)
torch._dynamo.exc.Unsupported: Data-dependent branching
  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`).

from user code:
   File "/home/me/run.py", line 4, in f
    if x.sum() > 0:

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
"""


@pytest.mark.parametrize(
    ("text", "path", "file", "number", "code", "cure"),
    [
        (BRANCH, "jax/bool-of-tracer", "/home/me/train.py", 12, "while loss > 0.1:", "while_loop"),
        (IN_A_CELL, "jax/bool-of-tracer", "Cell In[3]", 5, "assert x > 0", "checkify"),
        (
            UNDER_DYNAMO, "torch/data-dependent-branch", "/home/me/run.py", 4, "if x.sum() > 0:",
            "torch.where",
        ),
    ],
)  # fmt: skip
def test_the_readers_own_line_chooses_the_cure(text, path, file, number, code, cure) -> None:
    match, *_ = lookup.find(text)
    assert match.entry.path == path
    assert match.line == lookup.Line(file, number, code, in_library=False)
    assert cure in match.cure


IN_A_MODULE = """\
TracerBoolConversionError                 Traceback (most recent call last)
Cell In[7], line 3
----> 3 y = run(x)

File ~/project/model.py:12, in step(x)
     10 def step(x):
---> 12     while x > 0:

File ~/lib/python3.11/site-packages/jax/_src/core.py:1700, in error(self, arg)
-> 1700   raise TracerBoolConversionError(arg)

TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].
"""
IN_A_TEST = """\
___________________________________ test_step ___________________________________

    def test_step():
>       step(jnp.ones(()))

test_model.py:12:{space}
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
model.py:12: in step
    while loss > 0.1:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

>   def error(self, arg):
E   jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array.

/usr/lib/python3.11/site-packages/jax/_src/core.py:1700: TracerBoolConversionError
___________________________________ test_other __________________________________

    def test_other():
>       assert 1 == 2
E       assert 1 == 2

test_model.py:20: AssertionError
""".replace("{space}", " ")
LAST_IN_A_TEST = """\
    def step(x):
>       while x > 0:
E       jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array.

model.py:12: TracerBoolConversionError
"""


def prefixed(text: str, prefix: str) -> str:
    return "".join(prefix.format(n) + line for n, line in enumerate(text.splitlines(True)))


@pytest.mark.parametrize(
    "text",
    [
        IN_A_MODULE,
        IN_A_TEST,
        LAST_IN_A_TEST,
        prefixed(BRANCH, "[rank0]: "),
        prefixed(BRANCH, "2024-05-01T12:00:{:02d}.1234567Z "),
        prefixed(BRANCH, "trainer-1  | "),
        "".join(f"[rank0]: {line}[rank1]: {line}" for line in BRANCH.splitlines(True)),
        BRANCH.replace("\n", "\r\n"),
        BRANCH.replace("\n", "\\n").replace('"', '\\"'),
        re.sub(r"(loss|\d+|jax\.\S+Error|Attempted)", "\x1b[1;35m\\1\x1b[0m", BRANCH),
        BRANCH.replace("/usr/lib/python3.11/site-packages/jax/_src/core", r"C:\Lib\functools"),
        BRANCH + 'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n'
        "    if run(): raise RuntimeError() from error\nRuntimeError: it failed\n",
    ],
    ids=[
        "ipython", "pytest", "pytest-last", "rank", "time", "compose", "ranks", "windows-lines",
        "json", "colors", "windows-library", "chained",
    ],
)  # fmt: skip
def test_the_readers_line_is_found_in_whatever_printed_it(text) -> None:
    match, *_ = lookup.find(text)
    assert match.entry.path == "jax/bool-of-tracer"
    assert match.line.number == 12
    assert match.line.code.startswith("while")
    assert "while_loop" in match.cure
    assert re.match(r"(E +)?jax\.errors\.Tracer|Tracer", match.message)


def test_a_warning_ends_where_a_traceback_begins() -> None:
    warning = WARNED[: WARNED.index("{library}")]
    traceback = BRANCH[BRANCH.index("Traceback") :]
    assert lookup.find(warning + traceback)[1].message == warning.strip()


OTHERS = """\
TypeError: Block.__init__() got an unexpected keyword argument 'dim'
AttributeError: 'int' object has no attribute 'params'
TypeError: Cache.__init__() missing 1 required keyword-only argument: 'key'
TypeError: Machine.__call__() missing 1 required positional argument: 'state'
TypeError: Machine.step() missing 1 required positional argument: 'metrics'
TypeError: DataFrame.mean() got an unexpected keyword argument 'axis'
TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'
TypeError: can't multiply sequence by non-int of type 'float'
TypeError: 'int' object is not callable
TypeError: 'float' object is not iterable
"""


@pytest.mark.parametrize("message", OTHERS.splitlines())
def test_what_any_program_can_raise_is_found_only_by_its_line(message) -> None:
    text = 'Traceback (most recent call last):\n  File "app.py", line 9, in run\n    {}\n{}\n'
    assert lookup.find(text.format("machine.run(job)", message)) == []


def test_words_of_python_are_found_by_the_line_that_raised_them() -> None:
    text = '  File "train.py", line 9, in step\n    w = w - 0.1 * w.grad\n'
    found = lookup.find(text + OTHERS.splitlines()[6])
    assert [match.entry.path for match in found] == ["torch/grad-is-none"]


WARNED = """\
/home/me/train.py:12: UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.
  scaler.step(optimizer)
{library}/lightning/amp.py:54: FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated. \
Please use `torch.amp.autocast('cuda', args...)` instead.
  with torch.cuda.amp.autocast():
"""


def test_a_warning_has_the_line_that_it_names_and_ends_where_the_next_begins() -> None:
    in_library, own = lookup.find(WARNED.format(library="/usr/lib/python3.11/site-packages"))
    assert in_library.cure.startswith("Update the library")
    assert (own.line.number, own.line.code) == (12, "scaler.step(optimizer)")
    assert "get_scale" in own.cure
    assert "FutureWarning" not in own.message
    assert "Update" not in lookup.find(WARNED.format(library="/home/me"))[0].cure


def test_the_shown_message_ends_below_what_matches_and_has_its_class() -> None:
    carry = (
        "TypeError: scan body function carry input and carry output must have equal types:\n\n"
        "The input carry h has type float32[5] but the corresponding output carry component has "
        "type float32[2,5], so the shapes do not match.\n\nRevise the function."
    )
    assert lookup.find(carry)[0].message == carry.removesuffix("\n\nRevise the function.")
    truth = "ValueError: The truth value of an array with more than one element is ambiguous."
    assert lookup.find(f"Traceback:\n  File\n{truth}\n")[0].message == truth


def test_a_graph_break_in_other_words_is_found_by_its_number() -> None:
    text = "Unsupported: other words\n\n For more, visit https://pytorch.org/gb/gb0124.html\n"
    assert [match.entry.path for match in lookup.find(text)] == ["torch/item"]


def test_a_line_of_a_library_has_the_cure_for_its_callers() -> None:
    library = BRANCH.replace("jax/_src/core.py", "einops/einops.py")
    assert lookup.find(library)[0].in_library
    assert not lookup.find(BRANCH)[0].in_library


def test_of_two_errors_the_one_that_is_raised_last_comes_first() -> None:
    first = "KeyError: 'a'\nValueError: vmap got inconsistent sizes for array axes to be mapped:\n"
    last = "\nDuring handling of the above exception, another exception occurred:\n\n"
    found = lookup.find(first + last + BRANCH)
    assert found[0].entry.path == "jax/bool-of-tracer"


@pytest.mark.parametrize("text", ["", "all is well\n", "ValueError: my own words", "}{\x00\n" * 99])
def test_what_is_not_known_finds_nothing(text) -> None:
    assert lookup.find(text) == []


def test_the_nearest_share_words_with_the_message_and_not_with_its_traceback() -> None:
    text = BRANCH[: BRANCH.index("jax.errors")] + "ValueError: a key of a NumPy generator\n"
    assert lookup.nearest(text) == lookup.nearest("ValueError: a key of a NumPy generator\n")


def test_the_nearest_share_words() -> None:
    near = lookup.nearest("some boolean conversion of an array that was traced")
    assert "jax/bool-of-tracer" in [entry.path for entry in near]
    assert lookup.nearest("zzzz") == []


def test_a_cure_of_a_library_is_for_lines_that_a_reader_cannot_change() -> None:
    assert Cure("a", library=True).fits("", "", in_library=True)
    assert not Cure("a", library=True).fits("", "")
    assert not Cure("a", line="while").fits("if x:", "")
