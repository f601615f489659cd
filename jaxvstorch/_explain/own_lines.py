"""The lines that several explanations of one function share."""

from collections.abc import Sequence
from dataclasses import replace

from jaxvstorch._explain.facts import Facts, Finding
from jaxvstorch._explain.marks import Line, Mark, Source


def own_sources(explanations: Sequence[Facts]) -> tuple[Source, ...]:
    """The function's own source in each explanation, with the same lines.

    In an explanation that has no line of it, as when an error came first, the lines have no marks.

    Raises:
        TypeError: none of them has any line of it, or what ran is not the same function.
    """
    found = [e.sources[0] if e.sources else None for e in explanations]
    known = [source for source in found if source is not None]
    name = explanations[0].function
    if not known:
        told = dict.fromkeys(sentence for e in explanations for sentence in e.missing)
        missing = [sentence for sentence in told if sentence.startswith("The lines")]
        raise TypeError(
            f"framework='both' shows lines, and of {name} there are none to show. "
            f"{' '.join(missing)} Call explain once for each framework"
        )
    if len({(source.file, source.lines[0].number) for source in known}) > 1:
        places = ", ".join(f"{s.name} ({s.file}, line {s.lines[0].number})" for s in known)
        raise TypeError(
            f"framework='both' shows lines that both compilers saw, and of {name} they saw "
            f"different ones: {places}. Call explain once for each framework"
        )
    return tuple(source or without_marks(known[0]) for source in found)


def without_marks(source: Source) -> Source:
    """The same lines, as if nothing were known of them."""
    lines = (replace(x, mark=Mark.BLANK, operations={}, visits=0) for x in source.lines)
    return replace(source, lines=tuple(lines))


def found_at(line: Line, explanation: Facts, source: Source) -> list[Finding]:
    """What was found at a line of a source."""
    place = (source.file, line.number)
    return [finding for finding in explanation.findings if (finding.file, finding.line) == place]


def found_elsewhere(explanation: Facts, source: Source) -> list[Finding]:
    """What was found in functions that it calls, or at no line."""
    own = {line.number for line in source.lines}
    return [f for f in explanation.findings if f.file != source.file or f.line not in own]
