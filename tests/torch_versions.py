"""Where a version of PyTorch does otherwise than the tests say, which speak of the pinned one."""

from importlib import metadata

from jaxvstorch._frameworks.proven import release

_REGION = "operations of a nested compile region are shown as those of a subgraph"
_REGION_MARKS = "tests/explain/test_example_marks.py::test_marks[tracing.nested_layer-torch]"
_PRINT = "Inductor does not compile a print in a graph"

_COUNTED = "a number that is only counted has no guard"

# By version: tests that fail there, and why. What stands under NEWER fails from that version on.
KNOWN = {
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
        "tests/explain/test_example_marks.py::test_marks[loops.sqrt_python-torch]": (
            "Dynamo compiles nothing more of a loop after the break at its condition"
        ),
    },
}
NEWER = {
    "2.14": {
        "tests/explain/test_touched_outside.py::test_marks[adds_to_a_global-torch]": _COUNTED,
        "tests/explain/test_touched_outside.py::"
        "test_a_closure_that_is_read_and_one_that_is_written[torch]": _COUNTED,
    },
}


def has_torch(version: str) -> bool:
    """Whether PyTorch is installed in this version or a newer one, such as ``"2.14"``."""
    try:
        return release(metadata.version("torch")) >= release(version)
    except metadata.PackageNotFoundError:
        return False


def known_failures() -> dict[str, str]:
    """The tests that fail on the PyTorch installed here, by node id, each with the reason."""
    try:
        version = metadata.version("torch")
    except metadata.PackageNotFoundError:
        return {}
    minor = ".".join(version.split(".")[:2])
    found = dict(KNOWN.get(minor, {}))
    for first, tests in NEWER.items():
        found |= tests if has_torch(first) else {}
    return {test: f"PyTorch {minor}: {reason}" for test, reason in found.items()}
