"""Where the equations of a jaxpr were traced."""

from itertools import dropwhile
from types import CodeType
from typing import Any

from jaxvstorch._explain.jax import traces


class Frames:
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
        return [(code, self._line(code, place)) for code, place in traces.raw_frames(traceback)]

    def _line(self, code: CodeType, place: int) -> int:
        known = self._lines.get(id(code))
        if known is None:
            numbers = enumerate(position[0] for position in code.co_positions())
            known = code, {number: line for number, line in numbers if line is not None}
            self._lines[id(code)] = known
        return known[1].get(place, code.co_firstlineno)


def _begin_alike(frames: list[traces.Frame], others: list[traces.Frame]) -> bool:
    """Whether both begin in one function; JAX may keep inner frames only."""
    return bool(frames and others) and frames[0][0] is others[0][0]
