"""Functions of thousands of operations take little time, and stay readable."""

import cProfile
import pstats

import pytest
from needs import needs_compiler

from jaxvstorch import explain
from jaxvstorch._explain.rendering import html

MANY = "def many(x):\n" + "    x = x * 2 + 1\n" * 1_000 + "    return x\n"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A function of 2,000 operations, in a file of its own."""
    file = tmp_path_factory.mktemp("many") / "many.py"
    file.write_text(MANY, encoding="utf-8")
    names: dict[str, object] = {}
    exec(compile(MANY, str(file), "exec"), names)
    return names["many"]


def unrolled(x):
    for _ in range(1_000):
        x = x * 2
    return x


def test_jax_explains_two_thousand_operations_and_folds_them(many) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    check(explain(many, jax.numpy.ones(3)), 2_000)


def test_torch_explains_two_thousand_operations_and_folds_them(many) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    check(explain(many, torch.ones(3)), 2_000)


def check(explanation, operations) -> None:
    assert explanation.programs[0].operations == {"A": operations}
    text, page = str(explanation), html.page(explanation)
    assert len(text.splitlines()) < 100, "a long run of alike lines is folded"
    assert "<details" in page


def test_a_loop_unrolled_a_thousand_times_is_reported() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    explanation = explain(unrolled, jax.numpy.ones(3))
    (finding,) = explanation.found("unrolled")
    assert "1000 times" in finding.what
    assert explanation.marks()[1] == "x = x * 2  # A1000"


def test_line_marks_take_less_than_twice_the_calls_of_a_trace_and_compilation_in_jax() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")

    def waves(x):
        for _ in range(300):
            x = jax.numpy.sin(x) * 2
        return x

    x = jax.numpy.ones(3)

    def compile() -> None:
        jax.jit(lambda x: waves(x) + 1).lower(x).compile()

    explain(waves, x)  # what is set up once counts for neither
    compile()
    assert calls(lambda: explain(waves, x)) < 2 * calls(compile)


@needs_compiler
@pytest.mark.usefixtures("fresh_torch_compile")
def test_line_marks_take_a_quarter_of_the_calls_of_a_compilation_in_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from torch._inductor import config

    def waves(x):
        for _ in range(30):
            x = torch.sin(x) * 2
        return x

    def compile() -> None:
        torch.compiler.reset()
        with config.patch(fx_graph_cache=False):
            torch.compile(lambda x: waves(x) + 1)(x)

    x = torch.ones(3)
    explain(waves, x)  # what is set up once counts for neither
    compile()
    assert calls(lambda: explain(waves, x)) < calls(compile) / 4


def calls(work) -> int:
    """How many functions it calls: what a busy machine does not change, unlike its time."""
    with cProfile.Profile() as profile:
        work()
    return pstats.Stats(profile).total_calls
