"""JAX and PyTorch side by side: the same functions, run, tested and timed in both.

Importing this package imports neither framework; each is imported when a function that needs it
is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxvstorch._diff.diff import diff as diff
    from jaxvstorch._diff.difference import Counted as Counted
    from jaxvstorch._diff.difference import Diff as Diff
    from jaxvstorch._diff.difference import Difference as Difference
    from jaxvstorch._diff.difference import Growth as Growth
    from jaxvstorch._diff.difference import Origin as Origin
    from jaxvstorch._diff.difference import Output as Output
    from jaxvstorch._diff.difference import Place as Place
    from jaxvstorch._diff.recording import SourceLine as SourceLine
    from jaxvstorch._diff.training.training import diff_training as diff_training
    from jaxvstorch._explain.both import BothExplanations as BothExplanations
    from jaxvstorch._explain.explain import explain as explain
    from jaxvstorch._explain.explanation import Explanation as Explanation
    from jaxvstorch._explain.explanation_data import Compiled as Compiled
    from jaxvstorch._explain.explanation_data import Facts as Facts
    from jaxvstorch._explain.explanation_data import Finding as Finding
    from jaxvstorch._explain.explanation_data import Kernel as Kernel
    from jaxvstorch._explain.explanation_data import Program as Program
    from jaxvstorch._explain.explanation_data import Stage as Stage
    from jaxvstorch._explain.ledger import Arguments as Arguments
    from jaxvstorch._explain.ledger import call as call
    from jaxvstorch._explain.ledger import ledger as ledger
    from jaxvstorch._explain.ledger_rows import Call as Call
    from jaxvstorch._explain.ledger_rows import Compilations as Compilations
    from jaxvstorch._explain.ledger_rows import Ledger as Ledger
    from jaxvstorch._explain.lines_run import lines_run as lines_run
    from jaxvstorch._explain.marks import Line as Line
    from jaxvstorch._explain.marks import Mark as Mark
    from jaxvstorch._explain.marks import Source as Source
    from jaxvstorch._frameworks.importing import BrokenInstallError as BrokenInstallError
    from jaxvstorch._frameworks.importing import MissingFrameworkError as MissingFrameworkError
    from jaxvstorch._hardware.table import HardwareTable as HardwareTable
    from jaxvstorch._hardware.table import hardware_table as hardware_table
    from jaxvstorch._measure.first_calls import first_call as first_call
    from jaxvstorch._measure.first_calls import new_shape as new_shape
    from jaxvstorch._measure.fresh import fresh_calls as fresh_calls
    from jaxvstorch._measure.later_calls import Steady as Steady
    from jaxvstorch._measure.later_calls import steady as steady
    from jaxvstorch._messages import expect_error as expect_error
    from jaxvstorch._pairs.pair import Benchmark as Benchmark
    from jaxvstorch._pairs.pair import Pair as Pair
    from jaxvstorch._pairs.registry import PAIRS as PAIRS
    from jaxvstorch._pairs.registry import example as example
    from jaxvstorch._pairs.registry import pairs_of as pairs_of
    from jaxvstorch._pairs.registry import topics as topics
    from jaxvstorch._parity.checking import check_parity as check_parity
    from jaxvstorch._parity.comparison import Comparison as Comparison
    from jaxvstorch._parity.comparison import compare as compare
    from jaxvstorch._parity.parity import Parity as Parity
    from jaxvstorch._port.api import port as port
    from jaxvstorch._port.api import replaying as replaying
    from jaxvstorch._port.map.entry import NameEntry as NameEntry
    from jaxvstorch._port.map.entry import find_name as find_name
    from jaxvstorch._port.map.recipes import NameRecipe as NameRecipe
    from jaxvstorch._port.map.verdict import NameDifference as NameDifference
    from jaxvstorch._port.map.verdict import NameProbe as NameProbe
    from jaxvstorch._port.report import PortReport as PortReport
    from jaxvstorch._port.report_data import PortCall as PortCall
    from jaxvstorch._port.report_data import PortLine as PortLine
    from jaxvstorch._port.report_data import PortStatus as PortStatus

__version__ = "0.1.0"

_PUBLIC = {
    "Arguments": "jaxvstorch._explain.ledger",
    "Benchmark": "jaxvstorch._pairs.pair",
    "BothExplanations": "jaxvstorch._explain.both",
    "BrokenInstallError": "jaxvstorch._frameworks.importing",
    "Call": "jaxvstorch._explain.ledger_rows",
    "Comparison": "jaxvstorch._parity.comparison",
    "Compilations": "jaxvstorch._explain.ledger_rows",
    "Compiled": "jaxvstorch._explain.explanation_data",
    "Counted": "jaxvstorch._diff.difference",
    "Diff": "jaxvstorch._diff.difference",
    "Difference": "jaxvstorch._diff.difference",
    "Explanation": "jaxvstorch._explain.explanation",
    "Facts": "jaxvstorch._explain.explanation_data",
    "Finding": "jaxvstorch._explain.explanation_data",
    "Growth": "jaxvstorch._diff.difference",
    "HardwareTable": "jaxvstorch._hardware.table",
    "Kernel": "jaxvstorch._explain.explanation_data",
    "Ledger": "jaxvstorch._explain.ledger_rows",
    "Line": "jaxvstorch._explain.marks",
    "Mark": "jaxvstorch._explain.marks",
    "MissingFrameworkError": "jaxvstorch._frameworks.importing",
    "NameDifference": "jaxvstorch._port.map.verdict",
    "NameEntry": "jaxvstorch._port.map.entry",
    "NameProbe": "jaxvstorch._port.map.verdict",
    "NameRecipe": "jaxvstorch._port.map.recipes",
    "Origin": "jaxvstorch._diff.difference",
    "Output": "jaxvstorch._diff.difference",
    "PAIRS": "jaxvstorch._pairs.registry",
    "Pair": "jaxvstorch._pairs.pair",
    "Parity": "jaxvstorch._parity.parity",
    "Place": "jaxvstorch._diff.difference",
    "PortCall": "jaxvstorch._port.report_data",
    "PortLine": "jaxvstorch._port.report_data",
    "PortReport": "jaxvstorch._port.report",
    "PortStatus": "jaxvstorch._port.report_data",
    "Program": "jaxvstorch._explain.explanation_data",
    "Source": "jaxvstorch._explain.marks",
    "SourceLine": "jaxvstorch._diff.recording",
    "Stage": "jaxvstorch._explain.explanation_data",
    "Steady": "jaxvstorch._measure.later_calls",
    "call": "jaxvstorch._explain.ledger",
    "check_parity": "jaxvstorch._parity.checking",
    "compare": "jaxvstorch._parity.comparison",
    "diff": "jaxvstorch._diff.diff",
    "diff_training": "jaxvstorch._diff.training.training",
    "example": "jaxvstorch._pairs.registry",
    "expect_error": "jaxvstorch._messages",
    "explain": "jaxvstorch._explain.explain",
    "find_name": "jaxvstorch._port.map.entry",
    "first_call": "jaxvstorch._measure.first_calls",
    "fresh_calls": "jaxvstorch._measure.fresh",
    "hardware_table": "jaxvstorch._hardware.table",
    "ledger": "jaxvstorch._explain.ledger",
    "lines_run": "jaxvstorch._explain.lines_run",
    "new_shape": "jaxvstorch._measure.first_calls",
    "pairs_of": "jaxvstorch._pairs.registry",
    "port": "jaxvstorch._port.api",
    "replaying": "jaxvstorch._port.api",
    "steady": "jaxvstorch._measure.later_calls",
    "topics": "jaxvstorch._pairs.registry",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'jaxvstorch' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magic ``%%explain``: IPython calls this for ``%load_ext jaxvstorch``."""
    from jaxvstorch._magic import explain_cell

    shell.register_magic_function(explain_cell, "cell", "explain")
