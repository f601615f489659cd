"""The words of an explanation apart from its lines: its head, and the compiled stages."""

from collections import Counter

from jaxvstorch._explain.explanation_data import Compiled, Facts, Kernel, Program, Stage
from jaxvstorch._explain.marks import Source
from jaxvstorch._explain.python.shown_files import short_path
from jaxvstorch._explain.rendering.layout import KINDS
from jaxvstorch._explain.rendering.signs import TIMES, count
from jaxvstorch._explain.shorthand import byte_count
from jaxvstorch._frameworks import TITLES

NOT_REPORTED = "not reported"
_FORMS = {"jax": "jaxpr", "torch": "FX graph"}


def title(explanation: Facts) -> str:
    """The function and the framework, such as ``"attention in JAX"``."""
    return f"{explanation.function} in {TITLES[explanation.framework]}"


def head(explanation: Facts) -> list[tuple[str, str]]:
    """The facts about the whole function, by heading."""
    facts = [("arguments", ", ".join(explanation.arguments) or "none")]
    for program in explanation.programs:
        unplaced = _without_line(program) if explanation.sources else ""
        facts.append((f"program {program.name}", f"{program_size(program)}{unplaced}"))
    if not explanation.programs:
        facts.append(("programs", "none"))
    if explanation.ran:
        facts.append(("ran", explanation.ran))
    if explanation.findings:
        kinds = Counter(KINDS.get(f.kind, f.kind) for f in explanation.findings)
        several = (kind if n == 1 else f"{kind} {TIMES}{n}" for kind, n in kinds.items())
        facts.append(("found", ", ".join(several)))
    return facts


def program_size(program: Program) -> str:
    """How many operations, such as ``"14 operations, 3 in its scan body"``."""
    outermost = program.operations.get(program.name, 0)
    parts = [count(outermost, "operation")]
    for where, number in program.operations.items():
        if where != program.name:
            parts.append(f"{number:,} in its {where.partition(': ')[2]}")
    return ", ".join(parts)


def _without_line(program: Program) -> str:
    """How many operations have no line, in words; empty if all of them have one."""
    number = sum(program.without_line.values())
    if not number:
        return ""
    if number == sum(program.operations.values()):
        return "; none of them names a line" if number > 1 else "; it names no line"
    return f"; {number:,} of them {'name' if number > 1 else 'names'} no line"


def where(source: Source) -> str:
    """Where a source is, and how often it was traced."""
    first = source.lines[0].number if source.lines else 0
    before = any(line.operations for line in source.lines)  # as in a jax.stages.Traced
    never = "traced before" if before else "not traced"
    traced = {0: never, 1: "traced once"}.get(source.runs, f"traced {source.runs:,} times")
    return f"{short_path(source.file)}, line {first}, {traced}"


def compiled_head(compiled: Compiled) -> list[tuple[str, str]]:
    """What the compilers report of the compiled programs, by heading."""
    before, after = _number(compiled.operations_before), _number(compiled.operations_after)
    same = before == after == NOT_REPORTED
    return [
        ("operations", before if same else f"{before} before optimization, {after} after it"),
        ("kernels", f"{len(compiled.kernels):,}" if compiled.kernels else NOT_REPORTED),
        ("FLOPs", _number(compiled.flops)),
        ("bytes read and written", _number(compiled.bytes_accessed)),
        ("temporary memory", _bytes(compiled.temporary_bytes)),
    ]


def forms(explanation: Facts) -> list[Stage]:
    """Every form of every program: as captured, and if compiled, the later forms."""
    later = explanation.compiled.stages if explanation.compiled else ()
    known = {(stage.program, stage.text) for stage in later}
    form = _FORMS[explanation.framework]
    captured = [Stage(p.name, form, p.text) for p in explanation.programs if p.text]
    return [*(s for s in captured if (s.program, s.text) not in known), *later]


def text_size(text: str) -> str:
    """How long a text is, such as ``"41 lines, 2.1 kB"``."""
    return f"{count(len(text.splitlines()), 'line')}, {_bytes(len(text.encode()))}"


def kernel_lines(kernel: Kernel, explanation: Facts) -> str:
    """The lines that a kernel came from, such as ``"lines 13, 14"``."""
    by_file: dict[str, set[int]] = {}
    for file, number in kernel.lines:
        by_file.setdefault(file, set()).add(number)
    own_file = explanation.sources[0].file if explanation.sources else ""
    parts = []
    for file, numbers in by_file.items():
        prefix = "" if file == own_file else f"{short_path(file)} "
        noun = "line" if len(numbers) == 1 else "lines"
        parts.append(f"{prefix}{noun} {', '.join(map(str, sorted(numbers)))}")
    return "; ".join(parts) or f"lines {NOT_REPORTED}"


def _number(value: float | None) -> str:
    return NOT_REPORTED if value is None else f"{value:,.0f}"


def _bytes(value: int | None) -> str:
    return NOT_REPORTED if value is None else byte_count(value)
