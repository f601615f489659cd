"""Records where a program of one folder does what its draft does otherwise."""

import inspect
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

import torch
from torch.optim.lr_scheduler import LRScheduler

from jaxvstorch._frameworks.installed import is_installed
from jaxvstorch._port.draft.attributes import modules_read
from jaxvstorch._port.draft.recorded import Handing, saved_kind
from jaxvstorch._port.filling import Span
from jaxvstorch._port.locations import PORT_FOLDERS, span_of_call

_DISTRIBUTIONS = str(Path(torch.distributions.__file__).parent)


class Places:
    """Places in the files of a program, which are in one folder.

    Attributes:
        saved: what each call of ``state_dict`` and ``load_state_dict`` is of, by file and span.
        draws: the calls that draw from a distribution of PyTorch.
        loader_lines: the lines of each file that begin to read a DataLoader.
        schedules: the calls that made a schedule of an optimizer's rate, by file and span.
        data_sets: which arguments were arrays of each call that made a data set, by file and span.
        run_by_loaders: the names of what only loaders and their data sets run, which stays.
        autocasts: where operators were let compute in another dtype, by file and line.
        mains: the files that ran as programs.
        runs: the calls that ran one of them from another, by file and span.
        stepped: whether an optimizer took a step.
        of_values: the lines that led to each call whose result's shape depends on values, by the
            call's name, with the code that they are in.
        handed: the names of the modules that a function must be given, by its file and name, to
            step them below the function that computes their gradients.
        handing: at each call of such a function, and of ``step`` in it: the optimizer, and the
            modules that the function is given; by file and span.
    """

    def __init__(self, file: str) -> None:
        self.file = Path(file).resolve()
        self.folder = self.file.parent
        self.saved: dict[tuple[str, Span], str] = {}
        self.draws: set[tuple[str, Span]] = set()
        self.loader_lines: set[tuple[str, int]] = set()
        self.schedules: set[tuple[str, Span]] = set()
        self.data_sets: dict[tuple[str, Span], set[int | str]] = {}
        self.run_by_loaders: set[str] = set()
        self.autocasts: set[tuple[str, int]] = set()
        self.mains: dict[str, None] = {}
        self.runs: set[tuple[str, Span]] = set()
        self.stepped = False
        self.of_values: dict[str, set[tuple[CodeType, int]]] = {}
        self.handed: dict[tuple[str, str], list[str]] = {}
        self.handing: dict[tuple[str, Span], Handing] = {}
        self.backward_frame: tuple[int, object] = (0, None)  # of the last gradients
        self._program_files: dict[str, bool] = {}

    def is_program_file(self, file: str) -> bool:
        """Whether a file is the program's: beside it or below, and not an installed package."""
        if file not in self._program_files:
            path = Path(file).resolve()
            installed = is_installed(file) or file.startswith(PORT_FOLDERS)
            inside = path.is_relative_to(self.folder) and path.is_file()
            self._program_files[file] = inside and not installed
        return self._program_files[file]

    def program_frames(self, frame: FrameType | None) -> Iterator[FrameType]:
        """A frame and those that it was called from, of the program's own code."""
        while frame is not None:
            if self.is_program_file(frame.f_code.co_filename):
                yield frame
            frame = frame.f_back

    def record_saving(self, frame: FrameType) -> None:
        caller = frame.f_back
        if caller is not None and self.is_program_file(caller.f_code.co_filename):
            at = (caller.f_code.co_filename, span_of_call(caller))
            self.saved.setdefault(at, saved_kind(frame.f_locals.get("self")))

    def record_step_taken(self, frame: FrameType) -> None:
        """Record through which functions gradients must be handed to the step."""
        self.stepped, optimizer = True, frame.f_locals["args"][0]
        frames = list(self.program_frames(frame.f_back))
        owner = next((f for f in frames if (id(f), f.f_code) == self.backward_frame), None)
        if owner is None or owner is frames[0]:
            return
        at = (owner.f_code.co_filename, span_of_call(owner))
        if at in self.handing or not (here := modules_read(owner, optimizer)):
            return
        for f, called in pairwise([owner, *reversed(frames[: frames.index(owner)])]):
            own = modules_read(called, optimizer, outside=False)
            function = (called.f_code.co_filename, called.f_code.co_qualname)
            given = self.handed.setdefault(function, [] if own else list(map(_last, here)))
            new = Handing(optimizer, dict(zip(given, here, strict=False)))
            self.handing.setdefault((f.f_code.co_filename, span_of_call(f)), new)
            here = own or given
        at = (frames[0].f_code.co_filename, span_of_call(frames[0]))
        self.handing.setdefault(at, Handing(optimizer, dict(zip(here, here, strict=True)), True))

    def record_main(self, frame: FrameType) -> None:
        file = frame.f_code.co_filename
        if frame.f_globals.get("__name__") == "__main__" and self.is_program_file(file):
            self.mains[file] = None
            for caller in self.program_frames(frame.f_back):
                self.runs.add((caller.f_code.co_filename, span_of_call(caller)))

    def record_draw(self, frame: FrameType) -> None:
        caller = frame.f_back
        of_torch = frame.f_code.co_filename.startswith(_DISTRIBUTIONS)
        if of_torch and caller is not None and self.is_program_file(caller.f_code.co_filename):
            self.draws.add((caller.f_code.co_filename, span_of_call(caller)))

    def record_loader(self, frame: FrameType) -> None:
        caller = next(self.program_frames(frame.f_back), None)
        if caller is not None:
            self.loader_lines.add((caller.f_code.co_filename, caller.f_lineno))

    def record_made(self, frame: FrameType) -> None:
        """Record what makes a schedule, and which arguments are arrays of what makes a data set."""
        names, _, _, values = inspect.getargvalues(frame)
        made, caller = values.get(names[0]) if names else None, frame.f_back
        if caller is None or not self.is_program_file(caller.f_code.co_filename):
            return
        if isinstance(made, LRScheduler):
            self.schedules.add((caller.f_code.co_filename, span_of_call(caller)))
        elif isinstance(made, torch.utils.data.Dataset):
            at = (caller.f_code.co_filename, span_of_call(caller))
            arrays = self.data_sets.setdefault(at, set())
            for place, name in enumerate(names[1:]):
                if isinstance(values[name], torch.Tensor):
                    arrays |= {place, name}

    def record_of_values(self, name: str, frame: FrameType | None) -> None:
        places = self.of_values.setdefault(name, set())
        while frame is not None:
            places.add((frame.f_code, frame.f_lineno))
            frame = frame.f_back

    def record_autocast(self, frame: FrameType) -> None:
        caller = next(self.program_frames(frame.f_back), None)
        if caller is not None and frame.f_locals["enabled"]:
            self.autocasts.add((caller.f_code.co_filename, caller.f_lineno))


def _last(text: str) -> str:
    return text.rpartition(".")[2]
