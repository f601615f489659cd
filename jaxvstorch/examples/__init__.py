"""The canonical functions: one folder per topic, one module per framework."""

import sys
from typing import Any

from jaxvstorch import frameworks


class _MissingFrameworkFinder:
    """Finds nothing; says what to install, where a half would only say ``No module named ...``.

    A half is a plain program of its framework, so what it imports first is the framework. This is
    asked before the half is read, however it is imported.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        topic, _, framework = name.rpartition(".")
        if framework in frameworks.FRAMEWORKS and topic.rpartition(".")[0] == __name__:
            frameworks.require(framework, wanted_by=name)


sys.meta_path.insert(0, _MissingFrameworkFinder)
