"""The rendering for a terminal says what an explanation holds, with and without colour."""

import io
import time
from dataclasses import replace

import pytest
from rich.console import Console
from samples import COMPILED, FILE, GRAPH, OWN, library_source, long_source, of, sample

from jaxvstorch._command import terminal
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.explanation_data import Finding, Program
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.rendering.syntax import pieces, spans


def printed(explanation: Explanation, width: int = 100, colour: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=colour, legacy_windows=False)
    console.print(explanation)
    return console.file.getvalue()


def row(text: str, number: int) -> str:
    return next(line for line in text.splitlines() if line.split()[:1] == [str(number)])


@pytest.mark.parametrize(
    ("number", "sign"),
    [
        (9, "A2"),
        (10, "·"),
        (11, "—"),
        (12, "py"),
        (13, "· \N{MULTIPLICATION SIGN}101"),
        (14, "A100 \N{MULTIPLICATION SIGN}100"),
        (15, "B1, 3 in scan body"),
        (16, "!!"),
    ],
)
def test_each_line_has_its_number_its_sign_and_its_text(number: int, sign: str) -> None:
    line = next(line for line in sample().sources[0].lines if line.number == number)
    assert row(str(sample()), number).split(maxsplit=1)[1].startswith(sign + " ")
    assert row(str(sample()), number).endswith(line.text)


def test_the_legend_explains_the_signs_that_occur_and_no_others() -> None:
    legend = str(sample()).split("\n\n")[3].splitlines()
    assert [line.split(maxsplit=1)[1] for line in legend if "scan body" not in line] == [
        "2 operations in program A",
        "it ended here with an error",
        "Python runs it on every call",
        "traced, and left nothing in a program",
        "not reached for these arguments",
        "traced 100 times in one run: Python's loop is unrolled",
    ]
    assert " B1, 3 in scan body  1 operation in program B, 3 in its scan body" in legend
    short = str(of(Line(1, "y = x", Mark.TRACED, {}, 1))).split("\n\n")[-1]
    assert short == " ·  traced, and left nothing in a program"


def test_the_head_names_arguments_programs_and_what_ran() -> None:
    assert str(sample()).split("\n\n")[0].splitlines() == [
        "scores in JAX  jax.jit",
        "  arguments  f32[8,128], activation='relu'",
        "  program A  102 operations",
        "  program B  1 operation, 3 in its scan body",
        "  ran        once, to trace it",
        "  found      graph break, unrolled, impure",
    ]
    assert str(sample("torch")).startswith("scores in PyTorch  torch.compile\n")


@pytest.mark.parametrize(
    ("operations", "without", "text"),
    [
        ({"A": 12}, {"A": 7}, "12 operations; 7 of them name no line"),
        ({"A": 2, "A: scan body": 3}, {"A: scan body": 1},
         "2 operations, 3 in its scan body; 1 of them names no line"),
        ({"A": 2}, {"A": 2}, "2 operations; none of them names a line"),
        ({"A": 1}, {"A": 1}, "1 operation; it names no line"),
    ],
)  # fmt: skip
def test_operations_that_name_no_line_are_counted(operations, without, text) -> None:
    program = Program("A", operations, "", without)
    explanation = replace(of(Line(1, "y = x")), programs=(program,))
    assert f"  program A  {text}\n" in str(explanation)
    assert f"<dd>{text}</dd>" in explanation._repr_html_()
    assert explanation.to_dict()["programs"][0]["without_line"] == without


def test_findings_stand_below_their_line() -> None:
    lines = [line.strip() for line in str(sample()).splitlines()]
    line = next(i for i, line in enumerate(lines) if line.startswith("12  py"))
    assert lines[line + 1 : line + 4] == [
        "↳ graph break: print <ends> the graph.",
        "Fix: Print outside.",
        "See https://jaxvstorch.github.io/jaxvstorch/topics/tracing.html",
    ]
    loose = lines.index("Findings without a line")
    assert lines[loose + 1 : loose + 3] == ["↳ impure: A global was read.", "Fix: Pass it."]
    assert lines[lines.index("Missing") + 1] == "↳ The source of <lambda> could not be read."


def test_a_finding_is_shown_at_one_source_where_two_hold_its_line() -> None:
    line = Line(1, "f(x)", Mark.GRAPH, GRAPH, 1)
    sources = (Source("f", FILE, 1, (line,)), Source("g", FILE, 1, (line,)))
    explanation = Explanation("f", "jax", (), sources, (), (Finding("impure", FILE, 1, "Seen."),))
    assert str(explanation).count("Seen.") == 1


def test_long_runs_of_one_mark_are_folded() -> None:
    text = str(Explanation("f", "jax", (), (long_source(60),), ()))
    assert "… 56 lines, all in program A …" in text
    shown = [line.split()[0] for line in text.splitlines() if line.endswith("()")]
    assert shown == ["101", "102", "159", "160"]
    quiet = str(Explanation("f", "jax", (), (long_source(13, Mark.NOT_REACHED),), ()))
    assert "… 9 lines, all not reached for these arguments …" in quiet


@pytest.mark.parametrize(
    ("number", "mark"), [(12, Mark.NOT_REACHED), (40, Mark.GRAPH), (60, Mark.PYTHON)]
)
def test_short_runs_and_what_python_runs_are_not_folded(number: int, mark: Mark) -> None:
    text = str(Explanation("f", "jax", (), (long_source(number, mark),), ()))
    assert text.count("step_") == number


def test_a_finding_inside_a_long_run_stays_visible() -> None:
    source = long_source(100)
    explanation = Explanation(
        "f", "jax", (), (source,), (), (Finding("impure", FILE, 150, "Seen."),)
    )
    assert row(str(explanation), 150).endswith("step_150()")
    assert "↳ impure: Seen." in str(explanation)
    assert str(explanation).count("lines, all in program A") == 2


def test_a_few_blank_lines_do_not_part_a_run() -> None:
    lines = list(long_source(60).lines)
    lines[20] = Line(120, "")
    assert "… 56 lines, all in program A …" in str(of(*lines))


def test_the_stages_are_numbers_and_sizes_not_texts() -> None:
    compiled = str(sample()).partition("\nCompiled\n")[2].splitlines()
    assert compiled == [
        "  operations              107 before optimization, 3 after it",
        "  kernels                 2",
        "  FLOPs                   1,234,567",
        "  bytes read and written  not reported",
        "  temporary memory        not reported",
        "    A fusion.1: add, dot; from lines 9, 14",
        "    B while.2: operations not reported; from lines not reported",
        "",
        "Texts",
        "  A jaxpr      1 line, 16 bytes",
        "  B jaxpr      1 line, 4 bytes",
        "  A StableHLO  3 lines, 2.02 kB",
    ]


def test_stages_that_were_not_asked_for_are_not_mentioned() -> None:
    assert "Compiled" not in str(sample(compiled=None))
    assert "FX graph" in str(sample("torch", compiled=None))


def test_a_stage_that_repeats_a_program_is_listed_once() -> None:
    program = Program("A", {"A": 1}, COMPILED.stages[0].text)
    explanation = Explanation("f", "jax", (), (), (program,), compiled=COMPILED)
    assert str(explanation).count("2.02 kB") == 1


def test_a_pipe_gets_no_codes_and_no_broken_lines(capsys: pytest.CaptureFixture[str]) -> None:
    line = Line(1, "x = 1  # " + "long " * 100, Mark.TRACED, {}, 1)
    explanation = of(line, findings=(Finding("impure", FILE, 1, "word " * 100),))
    terminal.show(terminal.console(), explanation)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert row(out, 1).endswith("# " + ("long " * 100).strip())
    assert f"↳ impure: {('word ' * 100).strip()}" in out


def test_a_terminal_gets_colours() -> None:
    text = printed(sample(), colour=True)
    assert "\x1b[1;36mA2" in text
    assert "\x1b[35mdef" in text


def test_what_a_source_or_an_error_holds_does_not_reach_the_terminal_as_codes() -> None:
    line = Line(1, "x = '\x1b[2J'", Mark.TRACED, {}, 1)
    explanation = of(line, findings=(Finding("failed", FILE, 1, "\x9b2J\x07"),))
    text = printed(explanation) + str(explanation)
    assert not set(text) & set("\x1b\x9b\x07")


@pytest.mark.parametrize("width", [40, 60, 100])
def test_nothing_is_wider_than_the_terminal_and_nothing_is_lost(width: int) -> None:
    call = "result = function(" + ", ".join(f"argument_{i}" for i in range(30)) + ")"
    explanation = Explanation(
        "f",
        "jax",
        (),
        (Source("f", FILE, 1, (Line(1, "    " + call, Mark.GRAPH, GRAPH, 1),)),),
        (),
        (Finding("impure", FILE, 1, "word " * 30, page="purity"),),
    )
    text = printed(explanation, width)
    assert max(map(len, text.splitlines())) <= width
    joined = "".join(text.split())
    assert "".join(call.split()) in joined
    assert joined.count("word") == 30
    assert "https://jaxvstorch.github.io/jaxvstorch/topics/purity.html" in joined


def test_a_method_is_dedented_like_a_function() -> None:
    lines = (Line(1, "\tdef f(self):"), Line(2, "\t\treturn 1", Mark.TRACED, {}, 1))
    assert row(str(of(*lines)), 1).endswith("    def f(self):")
    assert row(str(of(*lines)), 2).endswith("  ·      return 1")


def test_an_explanation_without_a_source_is_still_one() -> None:
    text = str(Explanation("len", "jax", (), (), (), missing=("len has no source.",)))
    assert text.splitlines()[1:3] == ["  arguments  none", "  programs   none"]
    assert text.endswith("Missing\n  ↳ len has no source.")


def test_three_thousand_lines_render_fast() -> None:
    lines = [
        Line(i, f"    y{i} = sin(x{i}) * 2.0  # step", Mark.GRAPH, {"AB"[i % 2]: 1}, 1)
        for i in range(1, 3001)
    ]
    explanation = of(*lines)
    assert "…" not in str(explanation)
    times = []
    for _ in range(3):
        begin = time.thread_time()  # what other programs take does not count
        printed(explanation, colour=True)
        times.append(time.thread_time() - begin)
    assert min(times) < 0.6  # some 0.2 s


def test_syntax_survives_what_is_not_python() -> None:
    lines = ["x = '''a", "b''' + 1", "    )"]
    assert spans(lines)[:2] == [[(4, 8, "string")], [(0, 4, "string"), (7, 8, "number")]]
    for text, marked in zip(lines, spans(lines), strict=True):
        assert "".join(piece for piece, _ in pieces(text, marked)) == text


def test_a_library_is_folded_to_what_it_left_in_the_program() -> None:
    quiet = "… 36 lines that left nothing in a program …"
    text = str(replace(sample(), sources=(library_source(40),), findings=()))
    assert quiet in text
    assert row(text, 40).endswith("return y")
    own_source = replace(library_source(40), file=FILE)
    assert quiet not in str(replace(sample(), sources=(own_source,), findings=()))
    longer = replace(library_source(50), file=FILE)
    assert "… 46 lines that left nothing" in str(replace(sample(), sources=(longer,), findings=()))


def test_of_a_library_and_of_the_readers_functions_the_latter_are_shown() -> None:
    others = tuple(replace(library_source(3), name=f"other_{n}") for n in range(7))
    sources = (library_source(40), Source("scores", FILE, 1, OWN), *others)
    text = str(replace(sample(), sources=sources, findings=()))
    assert "y = x @ weights" in text
    assert "↳ other_0, library/module.py" in text
    assert "↳ scores" not in text


def test_of_many_functions_the_largest_are_shown_and_the_others_named() -> None:
    sources = tuple(
        Source(f"f{n}", "many.py", 1, (Line(n + 1, f"return {n}", Mark.GRAPH, {"A": n}),))
        for n in range(9)
    )
    text = str(replace(sample(), sources=sources))
    shown = [n for n in range(9) if f"return {n}" in text]
    assert shown == [0, 4, 5, 6, 7, 8]
    assert "↳ f1, many.py, line 2" in text
    assert "in full in HTML and JSON" in text
