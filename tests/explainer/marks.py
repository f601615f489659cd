"""Expected marks: how they are kept, compared with an explanation, and held against the frameworks.

They are kept in TOML files under ``marks/``: one table per explained function and source, in it one
entry per statement, by the offset of its line from the first line of its source::

    [layers.layers]
    8 = ["traced ! unrolled", "for _ in range(num_layers):"]
    9 = "A8 x2"

An entry is the mark as ``describe`` words it; ``x2`` where the line was traced twice in one run;
after ``!`` the kinds of the findings at that line. It may be a list with the line's text beside it,
which is then compared too: for code of this repository, not for that of others. Findings that are
at no line shown stand in the table of the function under ``elsewhere``.

Nothing writes these files. Where an explanation is not as expected, the failure shows what differs,
and the table as it would have to be: read it, ask of each line whether it is true, then paste it.
"""

import json
import re
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jaxvstorch.explainer import breaks
from jaxvstorch.explainer.explanation import Explanation, Line, describe

FOLDER = Path(__file__).with_name("marks")
_HOLDERS = {
    "jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint",
    "remat", "remat2",
}  # fmt: skip


def expected(file: str) -> dict[str, dict[str, Any]]:
    """All tables of one file under ``marks/``, by the explained function's name."""
    return tomllib.loads(FOLDER.joinpath(file).read_text(encoding="utf-8"))


def found(explanation: Explanation) -> dict[str, Any]:
    """An explanation in the same form, each entry as a list of mark and text."""
    kinds = defaultdict(list)
    for finding in explanation.findings:
        kinds[finding.file, finding.line].append(finding.kind)
    tables: dict[str, Any] = {}
    for source in explanation.sources:
        first = source.lines[0].number
        tables[source.name] = {
            str(line.number - first): [entry, line.text.strip()]
            for line in source.lines
            if (entry := _entry(line, kinds.pop((source.file, line.number), [])))
        }
    if kinds:
        tables["elsewhere"] = sorted(kind for found in kinds.values() for kind in found)
    return tables


def _entry(line: Line, kinds: list[str]) -> str:
    visits = f"x{line.visits}" if line.visits > 1 else ""
    findings = f"! {', '.join(sorted(kinds))}" if kinds else ""
    return " ".join(part for part in (describe(line), visits, findings) if part)


def as_toml(name: str, explanation: Explanation, texts: bool = True) -> str:
    """The tables of one explained function, as they stand in a file."""
    lines = []
    tables = found(explanation)
    if "elsewhere" in tables:
        lines += [f"[{_key(name)}]", f"elsewhere = {json.dumps(tables.pop('elsewhere'))}"]
    for source, entries in tables.items():
        lines.append(f"[{_key(name)}.{_key(source)}]")
        for offset, (entry, text) in entries.items():
            value = [entry, text] if texts else entry
            lines.append(f"{offset} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name)


def check(name: str, explanation: Explanation, tables: dict[str, Any], texts: bool = True) -> None:
    """Compare every statement of every source; an AssertionError names each line that differs.

    Args:
        name: the explained function's, in the file.
        explanation: what is to be checked.
        tables: what is expected, as ``expected(file)[name]`` gives it.
        texts: whether the tables hold the lines' texts; for the table shown on failure only.
    """
    seen = found(explanation)
    differences = [
        f"  {source} {offset}: expected {_said(old)}, found {_said(new)}"
        for source in dict.fromkeys([*tables, *seen])
        for offset, old, new in _differences(tables.get(source, {}), seen.get(source, {}))
    ]
    if differences:
        said = "\n".join(differences)
        raise AssertionError(f"{name}:\n{said}\n\nAs found:\n{as_toml(name, explanation, texts)}\n")


def _differences(old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    if isinstance(old, list) or isinstance(new, list):  # "elsewhere"
        return [] if (old or []) == (new or []) else [("", old, new)]
    offsets = sorted({*old, *new}, key=int)
    return [(o, old.get(o), new.get(o)) for o in offsets if not _same(old.get(o), new.get(o))]


def _same(old: Any, new: list[str] | None) -> bool:
    return old == new or (new is not None and old == new[0])


def _said(entry: Any) -> str:
    return "nothing" if not entry else json.dumps(entry, ensure_ascii=False)


def equations(jaxpr: Any) -> int:
    """How many there are in a jaxpr and inside it; what only holds a jaxpr together is none."""
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    number = 0
    for equation in jaxpr.eqns:
        number += equation.primitive.name not in _HOLDERS
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                if hasattr(getattr(inner, "jaxpr", inner), "eqns"):
                    number += equations(inner)
    return number


def check_jaxpr(explanation: Explanation, jaxpr: Any) -> None:
    """The program has as many operations as the jaxpr, made by JAX itself, has equations."""
    (program,) = explanation.programs
    assert sum(program.operations.values()) == equations(jaxpr)


def check_dynamo(explanation: Explanation, function: Any, *args: Any, **kwargs: Any) -> None:
    """Graphs, operations and breaks are those that ``torch._dynamo.explain`` counts.

    This calls the function once more, or twice: Dynamo's explanation holds the reason of a break
    only where a graph ends at it; the others are in a list that a call by itself leaves behind.
    """
    import torch
    from torch._dynamo.utils import get_compilation_metrics, graph_break_reasons

    # Told as breaks, but no graph ends there: a whole function that Dynamo leaves out, and a call.
    apart = (breaks.SKIPPED, breaks.CALL)
    places = {(f.file, f.line) for f in explanation.found("break") if f.what not in apart}
    with warnings.catch_warnings(action="ignore"):  # Dynamo warns of what it cannot translate
        torch.compiler.reset()
        told = torch._dynamo.explain(function)(*args, **kwargs)
        reasons = told.break_reasons
        known = _places(reasons)
        if not places <= known:
            torch.compile(function, backend="eager")(*args, **kwargs)
            reasons = [*reasons, *graph_break_reasons]
            known = _places(reasons) | {
                (metrics.fail_user_frame_filename, metrics.fail_user_frame_lineno)
                for metrics in get_compilation_metrics()
            }
        torch.compiler.reset()
    assert len(explanation.programs) == told.graph_count
    # Dynamo counts what is called as a function, and leaves methods and modules out.
    other = [
        n for g in told.graphs for n in g.graph.nodes if n.op in ("call_method", "call_module")
    ]
    top = sum(program.operations.get(program.name, 0) for program in explanation.programs)
    assert top - len(other) == told.op_count
    assert places <= known, "a break that Dynamo does not know of"
    missed = [r for r in reasons if r.graph_break and not _places([r]) & places]
    assert not missed, "a break of Dynamo's that was not found"


def _places(reasons: Iterable[Any]) -> set[tuple[str, int]]:
    return {(frame.filename, frame.lineno) for r in reasons for frame in r.user_stack}


def check_comments(explanation: Explanation) -> None:
    """Compare every line shown with the comment behind it: ``y = x * 2  # -> A1``.

    The comment says what an entry in a file would say; a line without one has no mark. A long one
    stands above its line, on one or more lines of its own. Where the frameworks differ, JAX's mark
    stands before PyTorch's: ``# -> A6 | A3``.
    """
    assert explanation.sources
    own = -1 if explanation.framework == "torch" else 0
    differences = []
    for source, entries in found(explanation).items():
        if source == "elsewhere":
            differences.append(f"  no line for {entries}")
            continue
        above: list[str] = []
        for offset, line in enumerate(explanation.source(source).lines):
            code, _, comment = line.text.partition("# -> ")
            said = comment.split("  # ")[0].strip()
            seen = entries.get(str(offset), ["", ""])[0]
            wanted = " ".join([*above, said]).split(" | ")[own] if code.strip() else ""
            if seen != wanted.strip():
                differences.append(f"  {source} {offset}: found {seen!r}\n    {line.text.strip()}")
            above = [] if code.strip() else [*above, said]
    assert not differences, "\n".join(["the marks are not as the comments say:", *differences])
