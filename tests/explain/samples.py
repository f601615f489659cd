"""Explanations made by hand, with every mark and everything that may be beside one."""

import sysconfig

from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.explanation_data import Compiled, Finding, Kernel, Program, Stage
from jaxvstorch._explain.marks import Line, Mark, Source

FILE = "/somewhere/model.py"
LIBRARY = f"{sysconfig.get_path('purelib')}/library/module.py"
GRAPH = {"A": 2}
INSIDE = {"B": 1, "B: scan body": 3}

OWN = (
    Line(8, "def scores(x, weights):"),
    Line(9, "    y = x @ weights", Mark.GRAPH, GRAPH, 1),
    Line(10, "    if x.ndim == 3:", Mark.TRACED, {}, 1),
    Line(11, "        y = y.sum()", Mark.NOT_REACHED),
    Line(12, "    print('<script>alert(1)</script>', y)", Mark.PYTHON, {}, 1),
    Line(13, "    for w in weights:", Mark.TRACED, {}, 101),
    Line(14, "        y = y + w", Mark.GRAPH, {"A": 100}, 100),
    Line(15, "    z = scan(step, y)", Mark.GRAPH, INSIDE, 1),
    Line(16, "    raise ValueError(z)", Mark.FAILED, {}, 1),
)
FINDINGS = (
    Finding("break", FILE, 12, "print <ends> the graph.", "Print outside.", "tracing"),
    Finding("unrolled", FILE, 13, "The loop was traced 100 times.", "Use scan.", "loops"),
    Finding("impure", FILE, 0, "A global was read.", "Pass it."),
)
COMPILED = Compiled(
    stages=(Stage("A", "StableHLO", "first\n<second>\n" + "x" * 2000),),
    kernels=(
        Kernel("A", "fusion.1", ("add", "dot"), ((FILE, 14), (FILE, 9))),
        Kernel("B", "while.2", (), ()),
    ),
    operations_before=107,
    operations_after=3,
    flops=1234567.0,
)


def sample(framework: str = "jax", compiled: Compiled | None = COMPILED) -> Explanation:
    """A function that has every mark."""
    return Explanation(
        function="scores",
        framework=framework,
        arguments=("f32[8,128]", "activation='relu'"),
        sources=(Source("scores", FILE, 1, OWN), long_source(60)),
        programs=(Program("A", {"A": 102}, "the jaxpr of <A>"), Program("B", INSIDE, "of B")),
        findings=FINDINGS,
        missing=("The source of <lambda> could not be read.",),
        ran="once, to trace it",
        compiled=compiled,
    )


def long_source(number: int, mark: Mark = Mark.GRAPH) -> Source:
    """A function of this many lines with the same mark."""
    operations = GRAPH if mark is Mark.GRAPH else {}
    lines = [Line(i, f"    step_{i}()", mark, operations, 1) for i in range(101, 101 + number)]
    return Source("steps", FILE, 1, (Line(100, "def steps():"), *lines))


def library_source(number: int) -> Source:
    """A library's function with this many lines that are traced or not reached, and two more."""
    marks = (Mark.TRACED, Mark.NOT_REACHED)
    quiet = [Line(i, f"    step_{i}()", marks[i % 2], {}, i % 2) for i in range(number)]
    last = Line(number, "    return y", Mark.GRAPH, GRAPH, 1)
    return Source("apply", LIBRARY, 1, (*quiet, last))


def of(*lines: Line, findings: tuple[Finding, ...] = ()) -> Explanation:
    """An explanation of these lines alone, with their findings."""
    return Explanation("f", "jax", (), (Source("f", FILE, 1, lines),), (), findings)
