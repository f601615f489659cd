"""Why Dynamo breaks a graph, and what to do about it: one sentence each.

Dynamo's own reasons take several lines, and are written for its developers.
"""

import re
from collections.abc import Collection

from jaxvstorch._explain.cures import Cure, of_break
from jaxvstorch._explain.observations import Location
from jaxvstorch._frameworks.private import MissingNameError
from jaxvstorch._frameworks.private import torch as private  # which does not import PyTorch

CALL = "Python makes this call, because the graph breaks inside the called function."
CALL_CURE = Cure("Fix the break inside that function; then this call is compiled too.", "tracing")
IS_LISTED = "frame is in the Dynamo skipfiles list"
# Why Dynamo leaves a whole function to Python: its own words or ours, a sentence, and a cure.
_LEFT_OUT = {
    IS_LISTED: ("one of Dynamo's rules excludes it",
        Cure("Call it outside the compiled function.", "tracing")),
    "tracing is non-recursively disabled for this frame": (
        "torch.compiler.disable(recursive=False) excludes it, but not the functions that it calls",
        Cure("Remove torch.compiler.disable.", "tracing")),
    "": ("Dynamo gave up on it in an earlier call in this process",
        Cure("Explain it in a process that has not compiled it.", "tracing")),
}  # fmt: skip

# Plainer sentences for some of Dynamo's explanations.
_REASONS = (
    (r"generic_jump|Detected data-dependent branching",
     "Which branch runs depends on a tensor's value, which is not known while tracing"),
    (r"`?([^\s`]+)`? since it was wrapped with `torch\.compiler\.disable`",
     r"torch.compiler.disable keeps Dynamo out of `\1`"),
    (r"User-inserted graph break", "The function calls torch._dynamo.graph_break"),
    (r"numpy function (\S+) in torch\._numpy", r"PyTorch has no counterpart of NumPy's `\1`"),
    (r"This VariableTracker does not", "Dynamo does not support an object that is used here"),
    (r"^step_unsupported$", "Dynamo cannot put this line into a graph"),
    (r"no exception handler at the top-level compiled function",
     "Dynamo met an error that the function does not catch"),
)  # fmt: skip

LEFT_OUT = "Python runs this function on every call: "


def left_out(because: str, switch: str = "") -> tuple[str, Cure]:
    """Why Dynamo does not read a function, as a sentence, and what to do about it.

    Args:
        because: Dynamo's reason; empty if Dynamo was not asked.
        switch: what had switched Dynamo off when the function was entered.
    """
    if switch and not because:
        return f"{LEFT_OUT}{switch} switches Dynamo off.", Cure(f"Remove {switch}.", "tracing")
    words, cure = _LEFT_OUT.get(because, (because, CALL_OUTSIDE))
    return f"{LEFT_OUT}{words}.", cure


CALL_OUTSIDE = Cure("Make this call outside the compiled function.", "tracing")

_BUILTIN = r"how to trace the builtin `"  # Dynamo's first hint is to report it

_OTHER = Cure("Do this outside the compiled function, or with torch's own functions.", "tracing")


def generic_hints() -> set[str]:
    """Hints that Dynamo gives for many graph breaks, whatever their cause."""
    try:
        hints = vars(private.graph_break_hints)
    except MissingNameError:
        return set()
    texts = [value for value in hints.values() if isinstance(value, list)]
    return {hint.strip() for text in texts for hint in text}


def cure(text: str, generic: Collection[str] = (), location: Location | None = None) -> Cure:
    """What to do about a break.

    Args:
        text: Dynamo's reason, with explanation and hints.
        generic: hints that say nothing about this break.
        location: the line that it is at.
    """
    if known := of_break(text, location):
        return known
    if re.search(_BUILTIN, _explanation(text)):
        return CALL_OUTSIDE
    return _hint(text, generic) or _OTHER


def cure_inside(text: str, generic: Collection[str] = (), location: Location | None = None) -> Cure:
    """What to do about a break in code that the reader cannot change: what Dynamo suggests.

    Args:
        text: Dynamo's reason.
        generic: hints that say nothing about this break.
        location: the reader's line, if it calls PyTorch's own code that breaks.
    """
    if known := of_break(text, location, by_line=True):
        return known
    if re.search(rf"User-inserted graph break|torch\.compiler\.disable|{_BUILTIN}", text):
        return CALL_OUTSIDE  # it is there on purpose, or cannot be traced at all
    return _hint(text, generic) or CALL_OUTSIDE


def _hint(text: str, generic: Collection[str]) -> Cure | None:
    """The first sentence of the first of Dynamo's hints that is about this break."""
    for hint in re.findall(r"^ *Hint: (.*(?:\n {4,}.*)*)", text, re.MULTILINE):
        hint_text = " ".join(hint.split())
        if hint_text not in {" ".join(other.split()) for other in generic}:
            first = _SENTENCE.match(_plain(hint_text))
            return Cure(f"{(first[0] if first else hint_text).rstrip(' .:;,!?')}.", "tracing")
    return None


def inside(where: str, reason: str) -> str:
    """The reason for a break in code that is not shown, with its location."""
    return f"The graph breaks inside `{where}`: {reason}"


def reason(text: str) -> str:
    """Why it broke: one sentence, from Dynamo's text of several lines."""
    explanation = _explanation(text)
    error = _ERROR.search(text)
    ends = f": `{_plain(error[1])}`." if error else "."
    for words, plain in _REASONS:
        if match := re.search(words, explanation):
            return f"{match.expand(plain)}{ends}"
    first = _SENTENCE.match(explanation)
    return f"{(first[0] if first else explanation).rstrip(' .:;,')}{ends}"


# The error that Dynamo met, which its explanation leaves out.
_ERROR = re.compile(r"debug context: (?:raised exception|TypeError (?:<[^>]*>|\S+):) (.+)")


# Up to the first full stop. Text in backquotes is a name.
_SENTENCE = re.compile(r"(?:`[^`]*`|[^`])+?(?<!e\.g)(?<!i\.e)(?<!etc)[.!?](?=\s|$)")


def _explanation(text: str) -> str:
    """Dynamo's explanation without Dynamo's internals; its heading if it has none.

    >>> _explanation("Explanation: Skip `<function f at 0x7f>` as asked (reason: None)")
    'Skip `f` as asked'
    """
    lines = [line.strip() for line in text.splitlines()] or [""]
    explanations = (line for line in lines if line.startswith("Explanation: "))
    explanation = next(explanations, lines[0]).removeprefix("Explanation: ")
    if not explanation or _UNINFORMATIVE.match(explanation):
        explanation = f"Dynamo does not support this: {lines[0]}"
    return _plain(explanation)


def _plain(text: str) -> str:
    """The text without addresses and file names, which do not help a reader."""
    text = _OBJECT.sub(r"\1", _NOISE.sub("", text))
    return re.sub(r"(?<!\.)\.`", "`.", text)


_UNINFORMATIVE = re.compile(r"(This|It|Currently) ?(is)? ?(currently)? ?not (yet )?supported")
_OBJECT = re.compile(r"<(?:function|bound method|built-in (?:function|method)) (\S+)[^>]*>+")
_NOISE = re.compile(
    r" in file `[^`]*`| \(has_kwargs \w+\)| \(reason: None\)|<unknown module>\.| at 0x\w+"
)
