"""What differs on other versions than the pinned ones, which the tests speak of."""

from importlib import metadata

from jaxvstorch._frameworks import FRAMEWORKS, TITLES
from jaxvstorch._frameworks.proven import release

_REGION = "operations of a nested compile region are shown as those of a subgraph"
_REGION_MARKS = "tests/explain/test_example_marks.py::test_marks[tracing.nested_layer-torch]"
_PRINT = "Inductor does not compile a print in a graph"

_COUNTED = "a number that is only counted has no guard"
_LOOP = "Dynamo compiles nothing more of a loop after the break at its condition"
_TAKEN = "what was refused works, with the right values"
_OPERATIONS = "other operations"

# By PyTorch's version: tests that fail there, and why.
OLDER = {
    "2.10": {
        _REGION_MARKS: _REGION,
        "tests/explain/test_statements.py::test_marks[caught_of_an_array-torch]": (
            "Dynamo does not trace the handler of a tensor's AttributeError"
        ),
        "tests/test_pairs.py::test_inductor_in_full[purity.neighbour_sums]": (
            "Inductor's C++ for float64 does not compile"
        ),
        "tests/test_pairs.py::test_inductor_in_full[tracing.print_in_program]": (_PRINT),
        "tests/test_pairs.py::test_inductor[tracing.print_in_program]": _PRINT,
    },
    "2.11": {
        _REGION_MARKS: _REGION,
        "tests/explain/test_example_marks.py::test_marks[loops.sqrt_python-torch]": _LOOP,
    },
}
# By framework: tests that fail from a version on, and why.
NEWER = {
    "torch": {
        "2.14": {
            "tests/explain/test_touched_outside.py::test_marks[adds_to_a_global-torch]": _COUNTED,
            "tests/explain/test_touched_outside.py::"
            "test_a_closure_that_is_read_and_one_that_is_written[torch]": _COUNTED,
            "tests/examples/branching/test_vmapped_cond.py::"
            "test_a_vmapped_torch_cond_does_not_compile_with_symbolic_shapes": _TAKEN,
            "tests/examples/indexing_dtypes/test_indexing_dtypes.py::"
            "test_inductor_fails_on_the_gradient_of_columns_of_a_single_one": _TAKEN,
            "tests/examples/loops/test_torch_prototypes.py::"
            "test_torch_scan_refuses_no_steps_no_inputs_and_results_that_share_memory": _TAKEN,
        },
        "2.15": {
            "tests/explain/test_example_marks.py::test_marks[loops.sqrt_python-torch]": _LOOP,
            **{
                "tests/examples/loops/test_torch_alignment.py::test_refused_where_what_follows_"
                f"reads_a_last_state_at_another_offset[{size}]": _TAKEN
                for size in (3, 7)
            },
        },
    },
    "jax": {
        "0.12": {
            f"tests/explain/test_example_marks.py::test_marks[{pair}-jax]": _OPERATIONS
            for pair in (
                "autodiff.tanh_derivative", "methods.blocks", "methods.calibrated",
                "training.generate", "training.train_step",
            )
        },
    },
}  # fmt: skip


def has(framework: str, version: str) -> bool:
    """Whether a framework is installed in this version or a newer one, such as ``"2.14"``."""
    try:
        return release(metadata.version(framework)) >= release(version)
    except metadata.PackageNotFoundError:
        return False


def known_failures() -> dict[str, str]:
    """The tests that fail on the frameworks installed here, by node id, each with the reason."""
    failures = {}
    for version, tests in OLDER.items():
        if has("torch", version) and not has("torch", _next(version)):
            failures |= {test: f"PyTorch {version}: {reason}" for test, reason in tests.items()}
    for framework in FRAMEWORKS:
        for version, tests in NEWER[framework].items():
            if has(framework, version):
                since = f"{TITLES[framework]} {version}"
                failures |= {test: f"{since}: {reason}" for test, reason in tests.items()}
    return failures


def _next(version: str) -> str:
    major, minor = version.split(".")
    return f"{major}.{int(minor) + 1}"
