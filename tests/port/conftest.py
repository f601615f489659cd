"""What the tests of ``port`` share: programs that run under a recording, and drafts of them."""

import runpy
import sys
import textwrap
import warnings
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def recorded():
    """Runs a program's file: what a draft is made of, and the program's own names."""

    def run(file):
        from jaxvstorch._port.draft.recording import Recording
        from jaxvstorch._port.replay import Replay

        recording = Recording(str(file))
        with Replay(record=recording.record) as replay, recording.watching():
            names = runpy.run_path(str(file), run_name="__main__")
        recording.argument_types = replay.argument_types
        recording.shorter = replay.shorter_forms.hold
        return recording, names

    return run


@pytest.fixture
def drafted(tmp_path, monkeypatch, recorded):
    """The source of a program's draft, and the parity of its parts."""
    from jaxvstorch._port.draft.composing import compose
    from jaxvstorch._port.draft.parity import compare_parts
    from jaxvstorch._port.library.in_program import take_in

    def run(program: str, style: str = "nnx") -> tuple[str, dict[str, str]]:
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(program), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        recording, _ = recorded(file)
        (tmp_path / "extracted").mkdir(exist_ok=True)
        take_in(recording, tmp_path / "extracted")
        source = compose(recording, style=style)
        path = tmp_path / "draft.py"
        path.write_text(source, encoding="utf-8")
        return source, dict(compare_parts(path, source, recording, style))

    return run


@pytest.fixture
def drafted_from_jax(tmp_path, monkeypatch):
    """Drafts a program in PyTorch, runs the draft, and returns its source and parts' parity."""
    from jaxvstorch._port.torch_draft.composing import compose
    from jaxvstorch._port.torch_draft.parity import compare_parts
    from jaxvstorch._port.torch_draft.recording import Recording

    def run(program: str, runs: bool = True, **others: str) -> tuple[str, dict[str, str]]:
        file, written = tmp_path / "train.py", tmp_path / "draft.py"
        for name, text in {"train": program, **others}.items():
            path = tmp_path / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        for name in {name.partition(".")[0] for name in others}:
            monkeypatch.delitem(sys.modules, name, raising=False)
        recording, main = Recording(str(file)), ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        with recording.watching() as codes:
            for code in codes:
                exec(code, main.__dict__)
        source, rewriter = compose(recording)
        written.write_text(source, encoding="utf-8")
        for name in recording.program.imported:
            sys.modules.pop(name, None)
        if runs:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                runpy.run_path(str(written), run_name="__main__")
        return source, dict(compare_parts(written, recording, rewriter))

    return run
