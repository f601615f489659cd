"""Reads a jaxpr as a list of operations, each with the lines it comes from."""

from collections import Counter
from collections.abc import Iterator
from itertools import dropwhile
from types import CodeType
from typing import Any

from jaxvstorch._explain.jax import traces
from jaxvstorch._explain.observations import Location, Operation
from jaxvstorch._explain.python.shown_files import ShownFiles

Stack = tuple[Location, ...]
Counts = Counter[tuple[str, str, Stack]]  # of operations, by name, part of the program and lines

# These only structure a program: the operations inside belong to the program around them.
_SEEN_THROUGH = {
    "jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint",
    "remat", "remat2",
}  # fmt: skip

_PARTS = {
    ("scan", "jaxpr"): "scan body",
    ("while", "cond_jaxpr"): "while condition",
    ("while", "body_jaxpr"): "while body",
    ("cond", "branches"): "cond branch",
}


class Reader:
    """Reads a jaxpr, and the jaxprs inside it."""

    def __init__(
        self,
        shown_files: ShownFiles,
        entry: str,
        function: Location | None,
        sites: traces.Sites,
        cuts: bool = False,
    ) -> None:
        """Make a reader.

        Args:
            shown_files: the files whose frames to keep.
            entry: the file whose frame called the function; frames further out are left out.
            function: the function's file, and its first line.
            sites: what was remembered while it was traced.
            cuts: whether to leave out the function's callers, as for one of an installed package.
        """
        self._is_shown = shown_files.has
        self._entry = entry
        self._function = function
        self._cuts = cuts or shown_files.is_installed
        self._entry_places: set[Location] = set()
        self._depths: dict[int, int] = {}
        self._counts: dict[tuple[int, str], Counts] = {}
        self._frames = _FrameReader(sites)

    def operations(self, jaxpr: Any, where: str) -> Iterator[Operation]:
        """Every operation; those of an inner program follow the operation that holds it."""
        for (name, part, stack), number in self._inside(jaxpr, where, ()).items():
            yield Operation(name, part, self._from_entry(stack), number)

    def _inside(self, jaxpr: Any, where: str, outer: Stack) -> Counts:
        """The operations of a jaxpr, with their stacks from there on.

        Each is read once, however often it is used: functions that call each other under ``jit``
        can hold an inner one millions of times.
        """
        if (id(jaxpr), where) in self._counts:
            return self._counts[id(jaxpr), where]
        counts = self._counts[id(jaxpr), where] = Counter()
        stacks = [self._stack(eqn) for eqn in jaxpr.eqns]
        # An inner jaxpr that is used twice was traced at its first use. Its stacks begin in its
        # own function, or, where JAX leaves the outer frames in, with the lines of that first use.
        depth = self._depths.setdefault(
            id(jaxpr), len(outer) if any(s[: len(outer)] == outer for s in stacks) else 0
        )
        for eqn, stack in zip(jaxpr.eqns, stacks, strict=True):
            own = stack[depth:]
            if eqn.primitive.name not in _SEEN_THROUGH:
                counts[eqn.primitive.name, where, _without_repeats(own)] += 1
            for part, inner in _parts(eqn, where, _is_choice(eqn, jaxpr)):
                full = self._from_entry((*outer, *own))
                for (name, inside, rest), number in self._inside(inner, part, full).items():
                    counts[name, inside, _without_repeats((*own, *rest))] += number
        return counts

    def _from_entry(self, stack: Stack) -> Stack:
        """The stack without the callers of the function, if they are not part of it."""
        entries = [i for i, location in enumerate(stack) if location in self._entry_places]
        return stack[entries[0] :] if self._cuts and entries else stack

    def location(self, eqn: Any) -> Location | None:
        """The innermost shown line that an equation comes from."""
        stack = self._stack(eqn)
        return stack[-1] if stack else None

    def _stack(self, eqn: Any) -> Stack:
        """The shown lines of an equation's stack, from the function's call on."""
        frames = [
            (code, line)
            for code, line in self._frames.of(eqn)
            if self._is_shown(code.co_filename) or code.co_filename == self._entry
        ]
        entered = [i for i, (code, _) in enumerate(frames) if code.co_filename == self._entry]
        frames = frames[entered[-1] + 1 :] if entered else frames
        stack = tuple((code.co_filename, line) for code, line in frames)
        begins = [(code.co_filename, code.co_firstlineno) for code, _ in frames]
        if self._function in begins:
            self._entry_places.add(stack[begins.index(self._function)])
        return stack


def _without_repeats(stack: Stack) -> Stack:
    """A stack with each line once, and the innermost one last; recursion repeats them."""
    lines = tuple(dict.fromkeys(stack))
    return lines if lines[-1:] == stack[-1:] else (*lines, stack[-1])


def _is_choice(eqn: Any, jaxpr: Any) -> bool:
    """Whether the equation comes from ``lax.cond`` and not ``lax.switch``: its index was a bool."""
    if eqn.primitive.name != "cond" or len(eqn.params["branches"]) != 2:
        return False
    index = eqn.invars[0]
    made_of = [e.invars[0].aval.dtype for e in jaxpr.eqns if index in e.outvars]
    return [str(dtype) for dtype in made_of] == ["bool"]


def _parts(eqn: Any, where: str, is_choice: bool) -> Iterator[tuple[str, Any]]:
    primitive = eqn.primitive.name
    for number, (parameter, program) in enumerate(traces.inner_programs(eqn)):
        inner = getattr(program, "jaxpr", program)
        if primitive in _SEEN_THROUGH:
            yield where, inner
            continue
        part = _PARTS.get((primitive, parameter), f"{primitive} body")
        if part == "cond branch":
            part = (
                ("cond false branch", "cond true branch")[number]
                if is_choice
                else f"{part} {number}"
            )
        yield (f"{where} > {part}" if ": " in where else f"{where}: {part}"), inner


class _FrameReader:
    """Reads where equations were traced, and remembers the lines of the code it has met."""

    def __init__(self, sites: traces.Sites) -> None:
        self._sites = sites
        # By the code object's id: hashing one takes long. Keeping the object keeps its id.
        self._lines: dict[int, tuple[CodeType, dict[int, int]]] = {}

    def of(self, eqn: Any) -> list[traces.Frame]:
        """Code and line of every Python frame that an equation was traced in, outermost first."""
        frames = self._traced_in(eqn.source_info.traceback)
        made_in = self._read(self._sites.made(eqn.source_info))
        return frames if _begin_alike(frames, made_in) else [*made_in, *frames]

    def _traced_in(self, traceback: Any) -> list[traces.Frame]:
        """The frames of a traceback; for what a rule made, with those of what it was made from."""
        frames = self._read(traceback)
        earlier = self._sites.earlier(traceback)
        if earlier is None:
            return frames
        around = self._traced_in(earlier)
        begin = self._sites.begin_of_rule(frames)
        known = {id(code) for code, _ in around}
        rule = list(dropwhile(lambda frame: id(frame[0]) in known, frames[begin:]))
        return [*([] if _begin_alike(around, frames) else frames[:begin]), *around, *rule]

    def _read(self, traceback: Any) -> list[traces.Frame]:
        return [
            (code, self._line(code, position)) for code, position in traces.raw_frames(traceback)
        ]

    def _line(self, code: CodeType, position: int) -> int:
        known = self._lines.get(id(code))
        if known is None:
            numbers = enumerate(position[0] for position in code.co_positions())
            known = code, {number: line for number, line in numbers if line is not None}
            self._lines[id(code)] = known
        return known[1].get(position, code.co_firstlineno)


def _begin_alike(frames: list[traces.Frame], others: list[traces.Frame]) -> bool:
    """Whether both begin in one function; JAX may keep inner frames only."""
    return bool(frames and others) and frames[0][0] is others[0][0]
