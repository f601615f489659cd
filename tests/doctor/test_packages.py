"""Versions and CUDA libraries."""

import pytest

from jaxvstorch._doctor import devices, packages
from jaxvstorch._doctor.check import Check
from jaxvstorch._frameworks import proven
from jaxvstorch._frameworks.proven import release


def test_a_missing_package_and_an_old_one() -> None:
    missing = packages._check_version("no-such-package", None)
    assert (missing.value, missing.problem) == ("not installed", "this package needs it")
    old = packages._check_version("numpy", "99.0")
    assert "tested with 99.0 and newer" in old.problem
    assert old.cure == "pip install 'numpy>=99.0'"
    assert packages._check_version("numpy", "1.0").problem is None


@pytest.fixture
def declared(monkeypatch):
    """Lets a test say what is installed; declared are jax, optax, rich and torch."""
    requires = ["jax>=0.10", "optax>=0.2.8", "rich>=15", "torch>=2.10", "jax[cuda13]; extra == 'x'"]
    monkeypatch.setattr(packages.metadata, "requires", lambda _: requires)

    def install(**versions: str) -> dict[str, Check]:
        monkeypatch.setattr(packages, "_version", versions.get)
        monkeypatch.setattr(packages, "_hidden_by", lambda _: None)
        return {check.name: check for check in packages.check_versions()}

    return install


JAX = {"jax": "0.10.2", "jaxlib": "0.10.2", "optax": "0.2.8"}


def test_every_declared_dependency_is_looked_at(declared) -> None:
    found = declared(**JAX, torch="2.13.0", rich="14.0")
    assert list(found) == ["Python", "JAX", "PyTorch", "jaxlib", "optax", "rich"]
    assert [name for name, check in found.items() if check.problem] == ["rich"]
    assert found["rich"].cure == "pip install 'rich>=15'"
    missing = declared(jax="0.10.2", jaxlib="0.10.2", torch="2.13.0", rich="15.0")["optax"]
    assert missing.problem == "this package needs it"
    assert missing.cure == "pip install 'optax>=0.2.8'"


def test_a_framework_without_its_metadata_is_there(declared) -> None:
    torch = declared(**JAX, torch="", rich="15.0")["PyTorch"]
    assert (torch.value, torch.problem) == ("installed", "its metadata is missing or empty")
    assert torch.cure == "pip install --force-reinstall --no-deps 'torch>=2.10'"


def test_what_is_imported_counts_and_not_what_lies_here(tmp_path, monkeypatch) -> None:
    def gone(name: str) -> str:
        raise packages.metadata.PackageNotFoundError(name)

    (tmp_path / "torch.py").touch()
    monkeypatch.setattr(packages.metadata, "version", gone)
    monkeypatch.setattr(packages.sys, "path", [str(tmp_path)])
    assert packages.installed_frameworks() == ["torch"]
    monkeypatch.chdir(tmp_path)
    assert packages.installed_frameworks() == []


def test_a_folder_that_was_deleted(tmp_path, monkeypatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert packages._hidden_by("torch") is None


@pytest.mark.parametrize(("versions", "missing"), [(JAX, "PyTorch"), ({"torch": "2.13.0"}, "JAX")])
def test_one_framework_is_enough(declared, versions, missing) -> None:
    found = declared(**versions, rich="15.0")
    assert not any(check.problem for check in found.values())
    assert found[missing].value == "not installed"
    assert "neither do port, check_parity" in found[missing].note
    assert "pip install jaxvstorch" in found[missing].note


def test_without_any_framework_nothing_works(declared) -> None:
    found = declared(rich="15.0")
    assert [name for name, check in found.items() if check.problem] == ["JAX", "PyTorch"]


@pytest.mark.parametrize(
    ("file", "hiding"),
    [("torch.py", "torch.py"), ("torch/__init__.py", "torch/"), ("torch/nothing.txt", None)],
)
def test_a_file_here_that_hides_a_framework(tmp_path, monkeypatch, file, hiding) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("raise SystemExit('it was run')")
    monkeypatch.chdir(tmp_path)
    check = packages._check_framework("torch", None, ["torch"])
    says = f"{hiding} in this folder hides PyTorch from programs that are started here"
    assert check.problem == (says if hiding else None)
    assert check.cure == (f"rename {hiding}" if hiding else None)
    assert devices.ask("torch").failure is None


@pytest.mark.parametrize(
    ("newer", "older"), [("2.10", "2.9.1"), ("2.13.0+cpu", "2.8"), ("0.12.0.1", "0.12.0")]
)
def test_versions_are_compared_as_numbers(newer, older) -> None:
    assert release(newer) > release(older)


def test_a_version_newer_than_was_proven_is_named(monkeypatch) -> None:
    monkeypatch.setitem(proven.PROVEN, "torch", ("2.8.0", "2.9.0"))
    monkeypatch.setattr(proven.metadata, "version", lambda name: "2.10.1+cpu")
    found = packages._check_version("torch", None)
    assert found.value.startswith("2.10.1+cpu, newer than 2.9.0, the newest that jaxvstorch ")
    assert found.problem is None
    monkeypatch.setattr(proven.metadata, "version", lambda name: "2.9.7")
    assert packages._check_version("torch", None).value == "2.9.7"


TORCH_12 = [("torch", "2.9.1+cu128"), ("nvidia-cublas-cu12", "12.8.4.1")]
TORCH_13 = [("torch", "2.11.0"), ("nvidia-cublas", "13.1.0"), ("nvidia-cudnn-cu13", "9.15.1")]
JAX_12 = [("jax-cuda12-plugin", "0.10.2"), ("nvidia-cudnn-cu12", "9.8.0")]
JAX_13 = [("jax-cuda13-pjrt", "0.10.2"), ("nvidia-cuda-runtime", "13.0.96")]


@pytest.mark.parametrize(
    ("distributions", "value"),
    [
        ([("torch", "2.13.0+cpu"), ("jax", "0.10.2"), ("nvidia-ml-py", "13.1.0")], "none"),
        (TORCH_12 + JAX_12, "CUDA 12"),
        (TORCH_13 + JAX_13, "CUDA 13"),
    ],
)
def test_one_cuda_version_is_fine(distributions, value) -> None:
    found = packages._check_stacks(distributions)
    assert (found.value, found.problem) == (value, None)


@pytest.mark.parametrize("distributions", [TORCH_12 + JAX_13, TORCH_13 + JAX_12])
def test_two_cuda_versions_are_wrong(distributions) -> None:
    found = packages._check_stacks(distributions)
    assert found.value == "CUDA 12, CUDA 13"
    assert "two CUDA versions" in found.problem
    assert "jaxvstorch[cuda13]" in found.cure
    older = [name for name, _ in distributions if "12" in name]
    assert found.cure.endswith("pip uninstall " + " ".join(sorted(older)))
