"""What a plain sentence is."""

import re

from jaxvstorch._explain.explanation_data import Finding


def is_one(text: str) -> bool:
    """Whether a text is one sentence, which ends in one full stop, and holds no address."""
    bare = re.sub(r"`[^`]*`", "name", text)
    bare = re.sub(r"\b(e\.g|i\.e|etc)\.", "", bare)
    ends = re.findall(r"[.!?](?=\s|$)", bare)
    has_noise = re.search(r"[.,:;]\.$|0x\w|\n|^$", text)
    return bare.endswith(".") and ends == ["."] and not has_noise


def are_some(text: str) -> bool:
    """Whether a text is sentences, of which the last ends in a full stop, and holds no address."""
    return text.endswith(".") and not re.search(r"[.,:;]\.$|0x\w|\n", text)


def check_breaks(findings: tuple[Finding, ...]) -> None:
    """Every graph break has one sentence for its reason, and its cure in sentences."""
    for finding in findings:
        name, _, reason = finding.what.partition(": ")
        if finding.kind == "break":
            reason = finding.what
        elif name != "Unsupported":  # what is a break elsewhere is an error under fullgraph=True
            continue
        assert is_one(reason), finding
        assert are_some(finding.cure), finding
        assert finding.page, finding
