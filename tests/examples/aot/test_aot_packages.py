"""AOTInductor: a library that is called without the model's code, and checks little."""

import os
import subprocess
import sys
from collections import OrderedDict
from pathlib import Path

import pytest
from aot_files import OWN, exported_by_torch, without_package
from needs import needs_compiler

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

# The book's page on export makes such a package at each build, and shows most of this.
pytestmark = [needs_compiler, pytest.mark.filterwarnings(OWN), pytest.mark.matrix]


def built(tmp_path_factory, name: str, function, *arguments) -> str:
    """A package of the function, which is built once by all workers of pytest-xdist."""
    from filelock import FileLock  # torch requires it

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    path = folder / f"{name}.pt2"
    with FileLock(folder / f"{name}.lock"):
        if not path.exists():
            program = exported_by_torch(torch, function, *arguments)
            new = str(folder / f"{name}-new.pt2")
            Path(torch._inductor.aoti_compile_and_package(program, package_path=new)).rename(path)
    return str(path)


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> str:
    """``amplify`` for eight numbers and the gain 0.5."""
    from jaxvstorch.examples.aot import torch as in_torch

    return built(tmp_path_factory, "amplify", in_torch.amplify, torch.ones(8), 0.5)


def recent_difference(params, count, x):
    return params["a"] - 2 * params["b"] + x[-count:].mean()


@pytest.fixture(scope="module")
def difference(tmp_path_factory):
    """Called with a dict, the static number 2, and a series."""
    params = {"a": torch.ones(4), "b": torch.zeros(4)}
    path = built(tmp_path_factory, "difference", recent_difference, params, 2, torch.arange(8.0))
    return torch._inductor.aoti_load_package(path)


@pytest.fixture
def amplify(package):
    return torch._inductor.aoti_load_package(package)


def test_another_process_calls_it_without_the_module(package) -> None:
    printed = without_package(
        "import torch\n"
        f"program = torch._inductor.aoti_load_package({package!r})\n"
        "print('torch._dynamo' in sys.modules, program(torch.ones(8), 0.5).tolist())\n"
    )
    assert printed.endswith(str(torch.tanh(torch.full((8,), 0.5)).tolist()))


def test_its_reader_needs_no_compiler_and_is_told_that_it_is_outdated(package) -> None:
    settings = {name: text for name, text in os.environ.items() if name not in ("CC", "CXX")}
    code = f"import torch\nprogram = torch._inductor.aoti_load_package({package!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print(program(torch.ones(8), 0.5).shape)"],
        env=settings | {"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "torch.Size([8])\n"
    if torch.__version__.startswith("2.13."):
        assert "Loading outdated pt2 file" in done.stderr


def test_a_python_number_is_ignored(amplify) -> None:
    x = torch.ones(8)
    for arguments in ((x, 0.5), (x, 100.0), (x,)):
        torch.testing.assert_close(amplify(*arguments), torch.tanh(x / 2))


def test_another_size_or_dtype_is_not_noticed(amplify) -> None:
    assert amplify(torch.ones(16), 0.5).shape == (8,)
    assert amplify(torch.ones(2, 8), 0.5).shape == (8,)
    found = amplify(torch.ones(8, dtype=torch.float64), 0.5)
    assert found.dtype == torch.float32
    assert not torch.allclose(found, torch.tanh(torch.full((8,), 0.5)))


def test_a_smaller_tensor_makes_it_read_what_lies_behind(amplify) -> None:
    memory = torch.arange(16.0) / 8
    torch.testing.assert_close(amplify(memory[:2], 0.5), torch.tanh(memory[:8] / 2))


def test_strides_are_not_looked_at(amplify) -> None:
    memory = torch.arange(16.0) / 8
    torch.testing.assert_close(amplify(memory[::2], 0.5), torch.tanh(memory[:8] / 2))


@pytest.mark.parametrize("made", ["torch.ones(8, device='meta')", "torch.empty(0)"])
def test_a_tensor_without_memory_ends_the_process(package, made) -> None:
    code = (
        "import torch\n"
        f"program = torch._inductor.aoti_load_package({package!r})\n"
        "print('loaded', flush=True)\n"
        f"program({made}, 0.5)\n"
        "print('called', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["loaded"]
    assert done.returncode != 0
    assert "Traceback" not in done.stderr


def test_a_static_number_is_ignored(difference) -> None:
    params = {"a": torch.ones(4), "b": torch.zeros(4)}
    found = [difference(params, count, torch.arange(8.0))[0].item() for count in (1, 2, 3)]
    assert found == [7.5, 7.5, 7.5]


def test_tensors_of_a_dict_are_taken_by_their_place(difference) -> None:
    one, zero, x = torch.ones(4), torch.zeros(4), torch.arange(8.0)
    for same in ({"a": one, "b": zero}, {"x": one, "y": zero}, OrderedDict(b=one, a=zero)):
        assert difference(same, 2, x)[0] == 7.5
    assert difference({"b": zero, "a": one}, 2, x)[0] == 4.5
    with pytest.raises(RuntimeError, match="expected inputs vector size to be 3, but got 2"):
        difference({"a": one}, 2, x)


def test_an_argument_by_name_is_refused(amplify) -> None:
    with pytest.raises(ValueError, match="kwarg keyword mismatch"):
        amplify(torch.ones(8), gain=0.5)


def test_an_environment_variable_has_it_check(package) -> None:
    code = (
        "import torch\n"
        f"program = torch._inductor.aoti_load_package({package!r})\n"
        "for x in (torch.ones(16), torch.ones(8).double(), torch.ones(16)[::2],\n"
        "          torch.ones(8).to('meta')):\n"
        "    try:\n"
        "        program(x, 0.5)\n"
        "    except RuntimeError as error:\n"
        "        print(str(error).strip())\n"
    )
    printed = without_package(code, **{**os.environ, "AOTI_RUNTIME_CHECK_INPUTS": "1"})
    said = [line.partition("unmatched ")[2].split(",")[0] for line in printed.splitlines()]
    assert said == ["dim value at 0", "dtype", "stride value at 0", "device type"]


def test_it_has_no_derivative_and_no_batching_rule(amplify) -> None:
    assert not amplify(torch.ones(8, requires_grad=True), 0.5).requires_grad
    with pytest.raises(RuntimeError, match="Cannot access data pointer"):
        torch.func.grad(lambda x: amplify(x, 0.5).sum())(torch.ones(8))
    with pytest.raises(RuntimeError, match="Cannot access data pointer"):
        torch.vmap(lambda x: amplify(x, 0.5))(torch.ones(2, 8))


def test_the_number_of_tensors_is_checked(amplify) -> None:
    with pytest.raises(RuntimeError, match="expected inputs vector size to be 1, but got 3"):
        amplify(torch.ones(8), torch.ones(8), torch.ones(8))


def test_it_says_what_machine_it_is_for(amplify) -> None:
    metadata = amplify.get_metadata()
    assert metadata["AOTI_DEVICE_KEY"] == "cpu"
    assert {"AOTI_PLATFORM", "AOTI_MACHINE", "AOTI_CPU_ISA"} <= set(metadata)


def test_a_file_that_was_cut_off_is_refused(package, tmp_path) -> None:
    path = tmp_path / "cut.pt2"
    with open(package, "rb") as whole:
        path.write_bytes(whole.read(10_000))
    with pytest.raises(RuntimeError, match="failed finding central directory"):
        torch._inductor.aoti_load_package(str(path))


def test_the_two_kinds_of_files_are_told_apart_by_errors_alone(package) -> None:
    with pytest.raises(RuntimeError, match="error when deserializing"):
        torch.export.load(package)


def test_torch_compile_breaks_the_graph_at_it(amplify) -> None:
    x = torch.ones(8)
    torch.compiler.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="AOTICompiledModel"):
        torch.compile(amplify, backend="eager", fullgraph=True)(x, 0.5)
    torch.compiler.reset()
    torch.testing.assert_close(torch.compile(amplify, backend="eager")(x, 0.5), torch.tanh(x / 2))


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
    assert without_package(read) == "[3.0, 3.0, 3.0, 3.0]\nTrue"
