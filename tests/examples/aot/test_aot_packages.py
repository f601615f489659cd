"""What AOTInductor and ``torch.compile`` save: trees of arguments, and guards elsewhere."""

import subprocess
import sys
from collections import OrderedDict

import pytest
from needs import needs_compiler

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = [
    needs_compiler,
    pytest.mark.matrix,
    # torch 2.13 warns of what it does itself when it copies the trees of an exported program.
    pytest.mark.filterwarnings(
        r"ignore:`isinstance\(treespec, LeafSpec\)` is deprecated:FutureWarning"
    ),
]


class RecentDifference(torch.nn.Module):
    """Called with a dict, a static number, and a series."""

    def forward(self, params, count, x):
        """Compute one number for each of a parameter."""
        return params["a"] - 2 * params["b"] + x[-count:].mean()


def test_a_static_number_is_ignored_and_tensors_of_a_dict_go_by_their_place(tmp_path) -> None:
    one, zero, x = torch.ones(4), torch.zeros(4), torch.arange(8.0)
    program = torch.export.export(RecentDifference(), ({"a": one, "b": zero}, 2, x))
    path = str(tmp_path / "difference.pt2")
    torch._inductor.aoti_compile_and_package(program, package_path=path)
    difference = torch._inductor.aoti_load_package(path)
    for count in (1, 2, 3):
        assert difference({"a": one, "b": zero}, count, x)[0] == 7.5
    for same in ({"x": one, "y": zero}, OrderedDict(b=one, a=zero)):
        assert difference(same, 2, x)[0] == 7.5
    assert difference({"b": zero, "a": one}, 2, x)[0] == 4.5
    with pytest.raises(RuntimeError, match="expected inputs vector size to be 3, but got 2"):
        difference({"a": one}, 2, x)


def test_what_torch_compile_saves_keeps_its_guards_in_another_process(tmp_path) -> None:
    compiled = torch.compile(lambda x: x * 2 + 1, fullgraph=True).aot_compile(
        ((torch.ones(4),), {})
    )
    compiled.save_compiled_function(str(tmp_path / "doubled"))
    read = "import torch\n"
    read += f"with open({str(tmp_path / 'doubled')!r}, 'rb') as file:\n"
    read += "    doubled = torch.compiler.load_compiled_function(file)\n"
    read += "print(doubled(torch.ones(4)).tolist())\n"
    read += "try:\n    doubled(torch.ones(4, dtype=torch.float64))\n"
    read += "except RuntimeError as error:\n    print('dtype mismatch' in str(error))\n"
    printed = subprocess.run([sys.executable, "-c", read], stdout=-1, text=True, check=True).stdout
    assert printed == "[3.0, 3.0, 3.0, 3.0]\nTrue\n"
