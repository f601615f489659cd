"""torch.export: what the program checks, its sizes, its file, and what it refuses."""

import io
import json
import zipfile

import numpy as np
import pytest
from aot_files import OWN, ROWS, exported_by_torch, module, without_package


@pytest.fixture
def x(torch):
    return torch.from_numpy(ROWS)


@pytest.fixture
def normalize(torch, in_torch, x):
    return exported_by_torch(torch, in_torch.normalize, x)


def written(torch, program) -> bytes:
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    return buffer.getvalue()


def rewritten(file: bytes, change) -> io.BytesIO:
    """The same archive with its model's JSON changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.endswith("models/model.json"):
                model = json.loads(text)
                change(model)
                text = json.dumps(model).encode()
            new.writestr(name, text)
    buffer.seek(0)
    return buffer


def test_a_function_is_refused_and_a_module_taken(torch, in_torch, x) -> None:
    with pytest.raises(ValueError, match=r"to be an instance of `torch\.nn\.Module`"):
        torch.export.export(in_torch.normalize, (x,))


def test_sizes_are_checked_and_dtypes_and_devices_are_not(torch, normalize, x) -> None:
    program = normalize.module()
    with pytest.raises(AssertionError, match="Guard failed"):
        program(x[:3])
    assert program(x.double()).dtype == torch.float64
    assert program(x.to("meta")).device.type == "meta"


def test_a_further_dimension_passes_and_a_missing_one_does_not(torch, normalize) -> None:
    assert normalize.module()(torch.ones(4, 4, 4)).shape == (4, 4, 4)
    with pytest.raises(IndexError):
        normalize.module()(torch.ones(4))


def test_one_tensor_that_stands_for_two_arguments_makes_one_of_them(torch) -> None:
    one = torch.eye(2)
    program = exported_by_torch(torch, torch.matmul, one, one).module()
    assert program(one, 2 * one)[0, 0] == 4


def test_an_equal_number_of_another_type_passes(torch, in_torch, x) -> None:
    program = exported_by_torch(torch, in_torch.amplify, x[0], 1.0).module()
    assert program(x[0], 1).shape == (4,)


def test_a_python_number_is_a_constant_that_is_checked(torch, in_torch, x) -> None:
    program = exported_by_torch(torch, in_torch.amplify, x[0], 0.5)
    assert "0.5" in program.graph_module.code
    with pytest.raises(AssertionError, match=r"Guard failed: .* == 0.5"):
        program.module()(x[0], 0.25)


def test_the_program_is_differentiable_and_compiles_and_batches(torch, normalize, x) -> None:
    program = normalize.module()
    assert torch.vmap(program)(x[None]).shape == (1, 4, 4)
    assert torch.func.grad(lambda x: (program(x) ** 2).sum())(x).shape == (4, 4)
    compiled = torch.compile(program, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), program(x))


def test_a_dict_has_no_order_and_keeps_its_class_and_keys(torch, in_torch, x) -> None:
    params = {"hidden": torch.randn(4, 8), "bias": torch.randn(8), "output": torch.randn(8, 3)}
    program = exported_by_torch(torch, in_torch.predict, params, x).module()
    torch.testing.assert_close(program(dict(reversed(params.items())), x), program(params, x))
    for wrong in ({**params, "more": x}, {"bias": params["bias"]}):
        with pytest.raises(ValueError, match="Trying to flatten user inputs"):
            program(wrong, x)


def test_a_size_that_two_divides(torch, in_torch, x) -> None:
    b = torch.export.Dim("b")
    with pytest.raises(torch._dynamo.exc.UserError, match="Constraints violated"):
        exported_by_torch(torch, in_torch.pool_pairs, x, shapes=({0: b},))
    program = exported_by_torch(torch, in_torch.pool_pairs, x, shapes=({0: 2 * b},)).module()
    assert program(torch.ones(6, 4)).shape == (3, 4)
    with pytest.raises(AssertionError, match=r"Guard failed: .* % 8 == 0"):
        program(torch.ones(7, 4))
    with pytest.raises(AssertionError, match=r"Guard failed: .* != 1"):
        program(torch.ones(2, 4))


def test_auto_finds_what_a_size_must_be(torch, in_torch, x) -> None:
    auto = torch.export.Dim.AUTO
    program = exported_by_torch(torch, in_torch.pool_pairs, x, shapes=({0: auto},)).module()
    assert program(torch.ones(6, 4)).shape == (3, 4)
    with pytest.raises(AssertionError, match="Guard failed"):
        program(torch.ones(7, 4))


def test_two_arguments_share_a_size_by_its_dim(torch, in_torch, x) -> None:
    m, n, d, other = (torch.export.Dim(name) for name in "mndk")
    arguments = torch.ones(2, 5), torch.ones(3, 5)
    shapes = {0: m, 1: d}, {0: n, 1: d}
    program = exported_by_torch(torch, in_torch.similarity, *arguments, shapes=shapes).module()
    assert program(torch.ones(4, 6), torch.ones(3, 6)).shape == (4, 3)
    with pytest.raises(AssertionError, match="Guard failed"):
        program(torch.ones(4, 6), torch.ones(3, 7))
    wrong = {0: m, 1: d}, {0: n, 1: other}
    with pytest.raises(torch._dynamo.exc.UserError, match="must always be equal"):
        exported_by_torch(torch, in_torch.similarity, *arguments, shapes=wrong)


def test_export_names_the_range_that_a_function_needs(torch, in_torch) -> None:
    arguments = torch.arange(8.0), 3
    shapes = {0: torch.export.Dim("n")}, None
    with pytest.raises(torch._dynamo.exc.UserError, match=r"n = Dim\('n', min=3\)"):
        exported_by_torch(torch, in_torch.recent_mean, *arguments, shapes=shapes)
    shapes = {0: torch.export.Dim("n", min=3)}, None
    program = exported_by_torch(torch, in_torch.recent_mean, *arguments, shapes=shapes).module()
    assert program(torch.arange(5.0), 3) == 3


def test_an_if_on_values_is_refused(torch, x, capfd) -> None:
    def absolute(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(Exception, match="Could not guard on data-dependent") as caught:
        exported_by_torch(torch, absolute, x)
    assert type(caught.value).__name__ == "GuardOnDataDependentSymNode"


def test_python_runs_once_while_exporting(torch, x, capsys) -> None:
    def shown(x):
        print("exporting")
        return x + 1

    program = exported_by_torch(torch, shown, x).module()
    program(x)
    program(x)
    assert capsys.readouterr().out == "exporting\n"


@pytest.mark.filterwarnings(OWN)
def test_decompositions_leave_fewer_kinds_of_operations(torch, normalize) -> None:
    def targets(program):
        calls = [node for node in program.graph.nodes if node.op == "call_function"]
        return [str(node.target) for node in calls]

    assert targets(normalize) == ["aten.layer_norm.default"]
    assert targets(normalize.run_decompositions())[0] == "aten.native_layer_norm.default"


def test_another_process_calls_the_file_without_the_module(torch, normalize, x, tmp_path) -> None:
    path = tmp_path / "normalize.pt2"
    torch.export.save(normalize, path)
    printed = without_package(
        "import torch\n"
        f"program = torch.export.load({str(path)!r}).module()\n"
        "print(program(torch.arange(16.0).reshape(4, 4)).tolist())\n"
    )
    torch.testing.assert_close(torch.tensor(eval(printed)), normalize.module()(x))


@pytest.mark.parametrize("kept", [0, 100, -1])
def test_a_file_that_was_cut_off_is_refused(torch, normalize, kept) -> None:
    with pytest.raises((zipfile.BadZipFile, RuntimeError), match=r"not a zip|corrupted"):
        torch.export.load(io.BytesIO(written(torch, normalize)[:kept]))


def test_another_major_schema_is_refused_and_a_newer_minor_one_taken(torch, normalize, x) -> None:
    file = written(torch, normalize)

    def with_schema(major, minor):
        def change(model):
            model["schema_version"] = {"major": model["schema_version"]["major"] + major}
            model["schema_version"]["minor"] = minor

        return torch.export.load(rewritten(file, change))

    with pytest.raises(RuntimeError, match="Please check the warnings above"):
        with_schema(1, 0)
    torch.testing.assert_close(with_schema(0, 999).module()(x), normalize.module()(x))


def test_the_file_tells_the_version_that_wrote_it(torch, normalize) -> None:
    found = []
    rewritten(written(torch, normalize), lambda model: found.append(model["torch_version"]))
    assert found == [torch.__version__]


def test_a_changed_number_is_not_noticed_but_by_the_archive_s_checksum(torch, normalize, x) -> None:
    file = bytearray(written(torch, normalize))
    at = file.index(b"1e-05")
    file[at : at + 5] = b"9e+05"
    found = torch.export.load(io.BytesIO(file)).module()(x)
    assert (found - normalize.module()(x)).abs().max() > 1
    assert zipfile.ZipFile(io.BytesIO(file)).testzip().endswith("models/model.json")
    assert zipfile.ZipFile(io.BytesIO(written(torch, normalize))).testzip() is None


def test_the_same_function_is_called_with_arguments_by_position(torch, normalize, x) -> None:
    with pytest.raises(ValueError, match="kwarg keyword mismatch"):
        normalize.module()(x=x)
    np.testing.assert_allclose(normalize.module()(x), module(torch, normalize.module())(x))
