"""The entries of the index, read from ``index/FRAMEWORK-THEME.toml``."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

INDEX = Path(__file__).with_name("index")
# What the code of an entry may use without importing it.
PRELUDE = {
    "jax": "import jax\nimport jax.numpy as jnp\nimport numpy as np",
    "torch": "import numpy as np\nimport torch\nfrom torch import nn\n"
    "from torch.nn import functional as F",
}


@dataclass(frozen=True)
class Pattern:
    """The words of a message, in a range of the framework's versions.

    Attributes:
        text: a regular expression, searched in the message.
        since: the first version with these words; empty if it is not known.
        before: the first version with other words; empty if these are today's.
        source: where they were read; empty if they are provoked here.
        line: matches the line of code that raised it, where the words are Python's own and any
            program can raise them; empty for any.
    """

    text: str
    since: str = ""
    before: str = ""
    source: str = ""
    line: str = ""

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The regular expression; a space in it matches any white space."""
        return re.compile(self.text.replace(" ", r"\s+"))

    def fits(self, message: str, line: str) -> bool:
        """Whether these are the words of a message that a line of code raised."""
        return (
            self.expression.search(message) is not None and re.search(self.line, line) is not None
        )


@dataclass(frozen=True)
class Cure:
    """One thing to do, and where it is the right one.

    Attributes:
        text: what to do.
        when: in which case, as words that end a sentence "If …"; empty for any.
        line: matches the line of code that raised it; empty for any.
        message: matches the message; empty for any.
        library: whether that line is in a library, which a reader cannot change.
    """

    text: str
    when: str = ""
    line: str = ""
    message: str = ""
    library: bool = False

    def fits(self, line: str, message: str, in_library: bool = False) -> bool:
        """Whether this is what to do about a line of code and its message."""
        return (
            self.library == in_library
            and re.search(self.line, line) is not None
            and re.search(self.message, message) is not None
        )


@dataclass(frozen=True)
class Entry:
    """What is known of one error, warning, or silence.

    Attributes:
        framework: ``"jax"`` or ``"torch"``.
        name: of the entry, such as ``"bool-of-tracer"``: an address that stays.
        title: the message as people see and search it, in one line.
        error: the name of the error's class; empty for warnings and silences.
        warning: of the warning's class, or ``"logged"``; empty for errors and silences.
        newer_class: of either's class in newer versions; empty where it is the same.
        patterns: the words of its message; none for a silence.
        why: why it is raised, or what goes wrong in silence.
        cures: the special ones first; the last fits any line.
        page: the page of the book that explains it; empty where there is none.
        twin: the entry's counterpart, as ``"torch/item"``; empty where there is none.
        wrong: code that provokes it; empty where it needs a GPU or several processes, and was read
            and not run.
        right: the same code, cured; empty where ``wrong`` is.
        gives: what the last expression of ``right`` is; ``None`` if it has none to compare.
        instead: what the last expression of ``wrong`` is; only in a silence.
        since: the first version that says so of ``wrong``; empty if it is not known.
        before: the first version that does not say so of ``wrong``; empty if all do.
        cpu_build: whether only builds of PyTorch without CUDA say so.
        ids: of PyTorch's registry of graph breaks, such as ``"GB0170"``.
    """

    framework: str
    name: str
    title: str
    why: str
    cures: tuple[Cure, ...]
    page: str = ""
    wrong: str = ""
    right: str = ""
    error: str = ""
    warning: str = ""
    newer_class: str = ""
    patterns: tuple[Pattern, ...] = ()
    twin: str = ""
    gives: Any = None
    instead: Any = None
    since: str = ""
    before: str = ""
    cpu_build: bool = False
    ids: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The framework and the name: ``"jax/bool-of-tracer"``."""
        return f"{self.framework}/{self.name}"

    @property
    def kind(self) -> str:
        """``"error"``, ``"warning"`` or ``"silence"``."""
        return "error" if self.error else "warning" if self.warning else "silence"

    @property
    def classes(self) -> frozenset[str]:
        """The names of the classes that its message comes with; none for a silence."""
        return frozenset({self.error, self.warning, self.newer_class} - {""})

    def cure(self, line: str, message: str, in_library: bool = False) -> Cure:
        """What to do about a line of code with this message."""
        fitting = (cure for cure in self.cures if cure.fits(line, message, in_library))
        return next(fitting, self.cures[-1])


@cache
def entries() -> dict[str, Entry]:
    """All entries by their paths, those of JAX first."""
    return {
        entry.path: entry
        for file in sorted(INDEX.glob("*.toml"))
        for name, fields in tomllib.loads(file.read_text(encoding="utf-8")).items()
        for entry in [_entry(file.stem.partition("-")[0], name, fields)]
    }


def _entry(framework: str, name: str, fields: Mapping[str, Any]) -> Entry:
    """An entry from its table in the file; what a table must hold, the class says."""
    made = {
        "patterns": tuple(
            Pattern(part) if isinstance(part, str) else Pattern(**part)
            for part in fields.get("patterns", ())
        ),
        "cures": tuple(
            Cure(part) if isinstance(part, str) else Cure(**part) for part in fields["cures"]
        ),
        "ids": tuple(fields.get("ids", ())),
        "wrong": fields.get("wrong", "").strip(),
        "right": fields.get("right", "").strip(),
    }
    return Entry(framework, name, **{**fields, **made})
