"""The findings about a function: one sentence each, with its line."""

import traceback
from collections.abc import Callable, Iterable, Iterator

from jaxvstorch._explain import breaks, cures
from jaxvstorch._explain.explanation_data import Finding
from jaxvstorch._explain.marks import Line, Mark, Source
from jaxvstorch._explain.observations import Location
from jaxvstorch._explain.python import statements
from jaxvstorch._explain.python.accesses import Access, AccessKind
from jaxvstorch._messages import tidy

# What jax.jit does with each access to something outside: kind of finding, sentence, cure.
_IN_JAX = {
    AccessKind.READ: ("frozen", "{name} was read while tracing: its value is now part of the "
        "program, and later changes to it go unseen.",
        "Pass it as an argument if it can change."),
    AccessKind.LARGE: ("frozen", "{name} was read while tracing: its value is now part of the "
        "program, and later changes to it go unseen. JAX copies its {size} into the program, "
        "hashes them where a compilation cache is on, and compiles them with the rest.",
        "Pass it as an argument: the program then holds only its shape and dtype."),
    AccessKind.CONSTANT: ("frozen", "An array of {size}, {name}, is a constant of the program: JAX "
        "copies it into the program, hashes it where a compilation cache is on, and compiles it "
        "with the rest.",
        "Pass it as an argument, or make it with jax.numpy in the function."),
    AccessKind.WRITTEN: ("impure", "{name} is written only while tracing, not on later calls.",
        "Return the new value instead."),
    AccessKind.CHANGED: ("impure", "{name} is changed only while tracing, not on later calls.",
        "Return the new value instead."),
    AccessKind.CHANGED_COPY: ("impure", "{name} is changed, but jax.jit passes the function a new "
        "container: the caller's does not change.",
        "Return the new value instead."),
    AccessKind.LEAKED: ("impure", "{name} now holds a traced value, which is useless after "
        "tracing: using it raises UnexpectedTracerError.",
        "Return the value instead."),
    AccessKind.OUTPUT: ("impure", "{name} prints only while tracing, and shows traced values "
        "as tracers.",
        "Use jax.debug.print for what should be printed on each call."),
    AccessKind.LOG: ("impure", "{name} logs only while tracing, and shows traced values as "
        "tracers.",
        "Use jax.debug.callback for what should be logged on each call."),
    AccessKind.INPUT: ("impure", "{name} asks for input only while tracing.",
        "Ask outside the function, and pass the answer in."),
    AccessKind.CLOCK: ("impure", "{name} is read only while tracing: later calls get the same "
        "time.",
        "Read the clock outside, and pass the time in."),
    AccessKind.RANDOM: ("impure", "Random numbers from {name} are drawn only while tracing: every "
        "later call gets the same ones.",
        "Use jax.random with a key that you pass in."),
    AccessKind.SEED: ("impure", "{name} is called only while tracing: later calls do not seed the "
        "generator.",
        "Use jax.random with a key that you pass in."),
    AccessKind.WARNING: ("impure", "{name} warns only while tracing.",
        "Warn outside, where the function is called."),
    AccessKind.TOKEN: ("impure", "{name} is called only while tracing: every later call gets the "
        "same value.",
        "Call it outside, and pass the value in."),
    AccessKind.ENVIRONMENT: ("frozen", "{name} is read only while tracing: later changes go "
        "unseen.",
        "Read it outside, and pass the value in."),
    AccessKind.GETENV: ("frozen", "{name} is read only while tracing: later changes go unseen.",
        "Read it outside, and pass the value in."),
    AccessKind.FILE: ("impure", "{name} accesses files only while tracing: later calls neither "
        "read nor write them.",
        "Read and write files outside, and pass in what they hold."),
}  # fmt: skip

# What torch.compile does with them, if Dynamo handles them itself.
_IN_TORCH = {
    AccessKind.READ: ("guarded", "{name} is read once and guarded: when it changes, the function "
        "is compiled again.",
        "Pass what changes often as an argument, a number as a tensor."),
    AccessKind.LARGE: ("guarded", "{name} is read once and guarded: when it changes, the function "
        "is compiled again. Dynamo reads what it holds one by one, and makes {size}, which are "
        "checked on each call.",
        "Make a tensor of it, outside the function: the graph takes that as one input."),
    AccessKind.WRITTEN: ("impure", "{name} is written by code that runs after the graph, on each "
        "call.",
        "Return the new value instead."),
    AccessKind.CHANGED: ("impure", "{name} is changed on each call, outside the graph.",
        "Return the new value instead."),
    AccessKind.CHANGED_IN_PLACE: ("impure", "{name} is changed in place by the graph, on each "
        "call.",
        "Compute a new tensor and return it."),
    AccessKind.CHANGED_IN_EAGER: ("impure", "Eager mode changes {name} in place, because an "
        "earlier operation returns it as it is. The compiled graph treats that result as a new "
        "tensor, so {name} stays as it was.",
        "Compute a new tensor and return it."),
    AccessKind.RANDOM: ("impure", "Random numbers from {name} are drawn on each call, outside "
        "the graph, or by torch in its place.",
        "Use torch's own random functions."),
    AccessKind.MISREAD: ("impure", "A random number enters the graph as 64 bits, but Inductor's "
        "code for a CPU reads only 32 of them: it comes out wrong.",
        "Draw it outside and pass it in, or use torch's own random functions."),
    AccessKind.ENVIRONMENT: ("guarded", "{name} is read while tracing, and guarded. A variable "
        "that is not set at that time is not guarded.",
        "Read it outside, and pass the value in."),
    AccessKind.GETENV: ("frozen", "{name} is read only while tracing: later changes go unseen.",
        "Read it outside, and pass the value in."),
}  # fmt: skip
_SENTENCES = {"jax": _IN_JAX, "torch": _IN_TORCH}


def of_accesses(framework: str, accesses: Iterable[Access]) -> Iterator[Finding]:
    """One finding for each access to something outside the function."""
    for access in accesses:
        if access.kind in _SENTENCES[framework]:
            kind, what, cure = _SENTENCES[framework][access.kind]
            what = what.format(name=f"`{access.name}`", size=access.size)
            yield Finding(kind, *access.location, what, cure, "purity")


def of_loops(framework: str, sources: Iterable[Source]) -> Iterator[Finding]:
    """One finding for each Python loop whose body was traced several times into a program."""
    for source in sources:
        parsed = statements.read(source.file)
        loops = parsed.loops if parsed else ()
        by_number = {line.number: line for line in source.lines}
        for loop in loops:
            body = [by_number[n] for n in range(loop.first, loop.last + 1) if n in by_number]
            what = _unrolled([line for line in body if line.mark is not Mark.BLANK], loops)
            if what and loop.header in by_number:
                cure = _LOOP_CURES[framework]
                yield Finding("unrolled", source.file, loop.header, what, cure, "loops")


_LOOP_CURES = {
    "jax": "jax.lax.scan or jax.lax.fori_loop traces the body once.",
    "torch": "torch.while_loop, a prototype, keeps the loop in the program.",
}


def _unrolled(body: list[Line], loops: Iterable[statements.Loop]) -> str:
    """A sentence about a loop with this body; empty if the loop was not unrolled."""
    if not any(line.operations for line in body):
        return ""
    numbers = {line.number for line in body}
    # The lines of an inner loop were traced more often, and its header counts once.
    inside = {
        n for loop in loops if loop.header in numbers for n in range(loop.header, loop.last + 1)
    }
    visits = [line.visits for line in body if line.number not in inside]
    times = max(visits or [line.visits for line in body])
    if times < 2:
        return ""
    if not visits:
        return "This loop was unrolled, with the loop inside it."
    return f"This loop was unrolled: its body was traced {times} times."


def raised_at(error: BaseException, is_shown: Callable[[str], bool]) -> Location | None:
    """The innermost line that an error passed through, or that Dynamo was at.

    Args:
        error: what was raised.
        is_shown: says of a file whether its lines count.
    """
    frames = traceback.walk_tb(error.__traceback__)
    locations = [(frame.f_code.co_filename, line) for frame, line in frames]
    locations += [(at.filename, at.lineno) for at in getattr(error, "real_stack", None) or ()]
    return next((at for at in reversed(locations) if is_shown(at[0])), None)


def of_error(error: BaseException, location: Location | None) -> Finding:
    """The error that ended a call, at the reader's line that raised it."""
    message = _message(error)
    is_break = is_unsupported(error)
    if is_break:
        cure = breaks.cure(message, breaks.generic_hints(), location)
    else:
        cure = cures.of_error(error, message, location)
    is_dynamos = is_break or "Explanation:" in message
    reason = breaks.reason(message) if is_dynamos else cures.facts(message)
    what = ": ".join(filter(None, [type(error).__name__, reason]))
    return Finding("failed", *(location or ("", 0)), what, cure.text, cure.page)


def _message(error: BaseException) -> str:
    try:
        return tidy(str(error)).strip()
    except Exception:  # raised by the reader's own class
        return ""


def is_unsupported(error: BaseException) -> bool:
    """Whether this is the error that Dynamo raises for a graph break under ``fullgraph=True``."""
    return any(kind.__name__ == "Unsupported" for kind in type(error).__mro__)


def ordered(findings: Iterable[Finding], sources: Iterable[Source]) -> tuple[Finding, ...]:
    """The findings by source, then by line, without duplicates."""
    files = {source.file: number for number, source in reversed(list(enumerate(sources)))}
    unique = dict.fromkeys(findings)
    return tuple(sorted(unique, key=lambda f: (files.get(f.file, len(files)), f.line)))
