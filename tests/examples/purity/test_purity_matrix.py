"""The matrix of kinds of functions by compilers, cell by cell."""

import os
import random

import numpy as np
import pytest

from jaxvstorch.examples.purity.matrix import KINDS, PurityMatrix, purity_matrix

RIGHT = ("right", "right", "right")

# What differs from plain Python; whatever is not named here is right on all three calls.
JIT = {
    "argument changed": ("lost", "lost", "lost"),
    "global written": ("right", "lost", "lost"),
    "global keeps an array": ("UnexpectedTracerError", "UnexpectedTracerError", "lost"),
    "global read": ("right", "right", "stale"),
    "environment read": ("right", "right", "stale"),
    "file read": ("right", "right", "stale"),
    "output": ("other", "lost", "lost"),
    "clock": ("right", "stale", "stale"),
    "Python's random state": ("right", "stale", "stale"),
    "NumPy's random state": ("right", "stale", "stale"),
}
TORCH_COMPILE = {
    "environment read": ("right", "right", "stale"),
    "NumPy's random state": ("other", "other", "other"),
}


def column(matrix: PurityMatrix, name: str) -> dict[str, tuple[str, ...]]:
    return {kind: matrix.cells[kind, name] for kind in KINDS}


@pytest.fixture(scope="module")
def in_jax() -> PurityMatrix:
    pytest.importorskip("jax", reason="JAX is not installed")
    return purity_matrix(["jax"])


def test_the_cells_of_jax(in_jax) -> None:
    assert column(in_jax, "JAX eager") == dict.fromkeys(KINDS, RIGHT)
    assert column(in_jax, "jax.jit") == dict.fromkeys(KINDS, RIGHT) | JIT


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_the_cells_of_pytorch(backend) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    found = purity_matrix(["torch"], torch={"backend": backend})
    assert column(found, "PyTorch eager") == dict.fromkeys(KINDS, RIGHT)
    assert column(found, "torch.compile") == dict.fromkeys(KINDS, RIGHT) | TORCH_COMPILE


def test_a_second_matrix_is_the_same(in_jax) -> None:
    assert purity_matrix(["jax"]).cells == in_jax.cells


def test_the_world_is_put_back(monkeypatch) -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    from jaxvstorch.examples.purity import jax as half

    monkeypatch.setenv("SHIFT", "7")
    monkeypatch.setattr(half, "calls", 3)
    states = random.getstate(), np.random.get_state()[1].tolist()
    purity_matrix(["jax"])
    assert (os.environ["SHIFT"], half.calls, half.scale, half.kept) == ("7", 3, 2.0, [])
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states


def test_the_columns_are_those_asked_for(in_jax) -> None:
    assert in_jax.columns == ("JAX eager", "jax.jit")


def test_three_equal_words_are_written_once(in_jax) -> None:
    rows = {row[0]: row[1:] for row in in_jax.rows()}
    assert rows["argument changed"] == ("right", "lost")
    assert rows["global read"] == ("right", "right, right, stale")
    lines = str(in_jax).splitlines()
    assert lines[0].split("  ")[0] == "kind"
    assert len(lines) == 1 + len(KINDS)
    assert in_jax._repr_html_().count("<tr>") == 2 + len(KINDS)
    assert '<th scope="row">Python&#x27;s random state</th>' in in_jax._repr_html_()
    wrong = [word for words in in_jax.cells.values() for word in words if word != "right"]
    assert in_jax._repr_html_().count('<td class="wrong">') == len(wrong) > 0
    assert "Everything is right in JAX eager." in in_jax._repr_html_()


def test_an_unknown_framework_is_named() -> None:
    with pytest.raises(ValueError, match="must be 'jax' or 'torch', not 'numpy'"):
        purity_matrix(["numpy"])
