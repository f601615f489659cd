"""What the front page says of its one function is so."""

import re
import subprocess
import sys

import pytest
from needs import needs_compiler
from pages import BOOK

PAGE = (BOOK / "index.md").read_text(encoding="utf-8")
(CLIP,) = re.findall(r"^def clip.*?(?=^\S)", PAGE, re.DOTALL | re.MULTILINE | re.ASCII)[:1]
CALLED = """
import torch
compiled = torch.compile(clip, backend={backend!r})
for grad in (torch.tensor([3.0, 4.0]), torch.tensor([0.5, 0.0])):
    print([round(number, 4) for number in compiled(grad).tolist()])
"""


@pytest.mark.parametrize(
    "backend",
    ["eager", pytest.param("inductor", marks=[pytest.mark.matrix, needs_compiler])],
)
def test_the_answer_is_right_and_no_message_says_that_it_was_cut(backend):
    code = CLIP + CALLED.format(backend=backend)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "norm: tensor(5.)",
        "[0.6, 0.8]",
        "norm: tensor(0.5000)",
        "[0.5, 0.0]",
    ]


def test_jax_traces_it_without_numbers_and_pytorch_cuts_it_in_three(tmp_path, monkeypatch):
    import numpy as np

    from jaxvstorch import explain

    (tmp_path / "clip_of_the_front_page.py").write_text(CLIP)
    monkeypatch.syspath_prepend(tmp_path)
    from clip_of_the_front_page import clip

    both = explain(clip, np.float32([3, 4]), framework="both")
    assert "Tracer" in both.printed["jax"]
    assert [finding.line for finding in both.jax.found("failed")] == [4]
    assert [finding.line for finding in both.torch.found("break")] == [3, 4]
    assert [len(e.programs) for e in both.explanations] == [0, 3]
