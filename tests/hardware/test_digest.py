"""When what was compiled counts as stale."""

import pytest

from jaxvstorch._hardware.program import Program
from jaxvstorch._pairs import source
from tools.compile_hardware.digest import digest

PROGRAM = Program("updates.set_rows", 64)
HALF = '''"""Updates."""

RATE = 2


def _scale(x):
    """By two."""
    return RATE * x


def other(x):
    return x


def set_rows(x, index, rows):
    """Replace some rows."""
    return _scale(x).at[index].set(rows)
'''


@pytest.fixture
def digest_of(tmp_path, monkeypatch):
    """The digest of the program if its half were this text."""
    file = tmp_path / "jax.py"
    monkeypatch.setattr(source, "path", lambda *_: file)

    def written(text: str, program: Program = PROGRAM) -> str:
        file.write_text(text, encoding="utf-8")
        return digest(program, "jax")

    return written


@pytest.mark.parametrize(
    ("old", "new"),
    [("set(rows)", "add(rows)"), ("RATE * x", "x * RATE"), ("RATE = 2", "RATE = 3")],
)
def test_it_is_when_the_function_or_what_it_uses_has_changed(digest_of, old, new) -> None:
    assert digest_of(HALF) != digest_of(HALF.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Replace some rows", "Write rows"),
        ("By two", "Twice"),
        ("return RATE", "return  RATE"),
        ("    return x\n", "    return -x\n"),
        ("RATE = 2", "RATE = 2  # why"),
    ],
)
def test_it_is_not_when_its_text_or_another_function_has(digest_of, old, new) -> None:
    assert HALF.replace(old, new) != HALF
    assert digest_of(HALF) == digest_of(HALF.replace(old, new))


def test_it_is_when_a_rule_of_differentiation_has_changed(digest_of) -> None:
    ruled = f"{HALF}\n\n_scale.defvjp(forward, backward)\n"
    assert digest_of(HALF) != digest_of(ruled)
    assert digest_of(ruled) != digest_of(ruled.replace("backward", "reverse"))


def test_it_is_when_the_program_has_other_arguments_or_another_way_of_compiling(digest_of) -> None:
    others = [Program("updates.set_rows", 128), Program("updates.set_rows", 64, donated=(0,))]
    assert len({digest_of(HALF, program) for program in (PROGRAM, *others)}) == 3


def test_it_is_when_an_argument_that_is_no_array_has_another_value(monkeypatch) -> None:
    digests = set()
    for steps in (10, 20):
        monkeypatch.setattr(Program, "arguments", lambda _, steps=steps: ([1.0], steps))
        digests.add(digest(PROGRAM, "jax"))
    assert len(digests) == 2
