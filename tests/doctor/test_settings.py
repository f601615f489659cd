"""Settings: caches, memory, threads."""

import pytest
from doctor_checks import named

from jaxvstorch._doctor import settings
from jaxvstorch._doctor.devices import Answer

CPU = Answer({"devices": ["cpu"], "accelerated": False, "cuda": None, "threads": 2, "cache": None})


def test_cache_folders(tmp_path) -> None:
    answers = {"jax": CPU, "torch": CPU}
    checks = settings.check_caches(answers, {})
    assert not any(check.problem for check in checks)
    assert named(checks, "JAX_COMPILATION_CACHE_DIR").value == "not set: nothing is kept"
    assert named(checks, "TORCHINDUCTOR_CACHE_DIR").value.startswith("not set: a folder in ")
    file = tmp_path / "file"
    file.touch()
    jax_answer = Answer({**CPU.facts, "cache": str(file / "below")})
    checks = settings.check_caches(
        {"jax": jax_answer, "torch": CPU}, {"TORCHINDUCTOR_CACHE_DIR": str(file)}
    )
    assert [check.problem for check in checks] == [f"{file} is not a folder"] * 2
    assert named(checks, "TORCHINDUCTOR_CACHE_DIR").cure == (
        'export TORCHINDUCTOR_CACHE_DIR="$HOME/.cache/torchinductor"'
    )
    new = settings.check_caches(answers, {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "new" / "one")})
    assert not any(check.problem for check in new)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("environ", "shared", "problem"),
    [
        ({}, False, None),
        ({}, True, "JAX leaves PyTorch a quarter"),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}, True, None),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "true"}, True, "JAX leaves PyTorch a quarter"),
        ({"XLA_PYTHON_CLIENT_PREALLOCATE": "no"}, False, "JAX reads this as true"),
        ({"XLA_CLIENT_MEM_FRACTION": ".3"}, True, None),
    ],
)
def test_preallocation(environ, shared, problem) -> None:
    found = named(settings.check_memory(environ, shared), "XLA_PYTHON_CLIENT_PREALLOCATE")
    assert (found.problem or "").startswith(problem or "")
    assert found.cure == ("export XLA_PYTHON_CLIENT_PREALLOCATE=false" if problem else None)


@pytest.mark.parametrize("value", ["no", "FALSE", "False", "false", "0", "true", "1"])
def test_jax_reads_preallocation_as_the_doctor_says(monkeypatch, value) -> None:
    client = pytest.importorskip("jaxlib.xla_client", reason="JAX is not installed")
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", value)
    taken = client.generate_pjrt_gpu_plugin_options()["preallocate"]
    assert taken == (value not in settings._FALSE)


def test_an_old_and_a_new_name_that_disagree() -> None:
    old, new = "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"
    checks = settings.check_memory({old: "backend:native", new: "backend:cudaMallocAsync"}, False)
    assert (
        named(checks, new).problem == "the newer name and the older one are set to different values"
    )
    assert named(checks, new).cure == f"unset {old}"
    same = settings.check_memory({old: "backend:native", new: "backend:native"}, False)
    assert not any(check.problem for check in same)
    assert named(settings.check_memory({old: "backend:native"}, False), old).value


@pytest.mark.parametrize(
    ("value", "fine"), [("4", True), ("4,2", True), ("0", False), ("many", False), ("", False)]
)
def test_thread_settings(value, fine) -> None:
    found = named(settings.check_threads({}, {"OMP_NUM_THREADS": value}), "OMP_NUM_THREADS")
    assert (found.problem is None) is fine


def test_more_threads_than_cores() -> None:
    cores = settings.usable_cores()
    for threads, fine in ((cores, True), (cores + 1, False)):
        checks = settings.check_threads({"torch": Answer({"threads": threads})}, {})
        found = named(checks, "PyTorch's threads")
        assert (found.problem is None) is fine
        assert fine or found.cure == f"export OMP_NUM_THREADS={cores}"


@pytest.mark.parametrize(
    ("limit", "cores"),
    [("50000 100000", 1), ("190000 100000", 1), ("max 100000", None), ("?", None)],
)
def test_a_quota_counts(tmp_path, limit, cores) -> None:
    (tmp_path / "cpu.max").write_text(limit + "\n")
    assert settings.usable_cores(tmp_path) == (cores or settings.usable_cores())
