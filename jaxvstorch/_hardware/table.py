"""A table of what compilers make of programs for this CPU, an H100 and a TPU."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain

from jaxvstorch._hardware.analysis import Analysis, analyse
from jaxvstorch._hardware.program import Program, programs
from jaxvstorch._hardware.quantities import QUANTITIES, Quantity
from jaxvstorch._hardware.recorded import Entry, recorded
from jaxvstorch._table import NONE, Table

COLUMNS = ("this CPU", "H100", "TPU v5e", "H100, Inductor")


@dataclass(frozen=True)
class HardwareTable:
    """A table: text when printed, HTML in a notebook.

    Attributes:
        heads: of the columns.
        rows: their texts.
        note: when the programs were compiled, and by what.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str

    def __str__(self) -> str:
        return f"{Table(self.heads, self.rows)}\n\n{self.note}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = Table(self.heads, self.rows).html("numbers hardware", row_head=_as_code)
        return f'{table}<p class="numbers-note">{escape(self.note)}</p>'


def _as_code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def hardware_table(
    *names: str, of: str | Sequence[str] = "memory", here: bool = True
) -> HardwareTable:
    """What programs become on this CPU, on an H100 and on a TPU v5e.

    For the H100 and the TPU they were compiled, but not run, when ``compiled.json`` was written.
    Inductor wrote its code then, and Triton did not compile it. For this CPU they are compiled now,
    if there are as many CPU devices as they need.

    Args:
        names: programs, such as ``"updates.ring_write, donated"``; or functions or topics, for all
            their programs. Without a name, all programs.
        of: what to show: one or more of ``memory`` (arguments, results and temporaries together, in
            bytes), ``arguments``, ``results``, ``reused`` (results in the memory of donated
            arguments), ``temporaries``, ``kernels``, ``loops``, ``library calls``, ``moved`` (bytes
            that the kernels read and write, as the compiler counts them), ``operations``,
            ``estimate`` (the TPU compiler's own, of the time) and ``collectives``. A star marks
            what XLA counts with one step of each loop.
        here: whether to compile for this CPU too.

    Raises:
        LookupError: there is no such program or quantity, or the program is not compiled yet.
    """
    wanted = (of,) if isinstance(of, str) else tuple(of)
    if unknown := set(wanted) - set(QUANTITIES):
        raise LookupError(
            f"no quantity is called {sorted(unknown)[0]!r}; choose from {', '.join(QUANTITIES)}"
        )
    every = [row for program in programs_named(*names) for row in _rows(program, wanted, here)]
    used = [i for i in range(len(COLUMNS)) if any(row[i + 2] != NONE for row in every)]
    chosen = [0, *([1] if len(wanted) > 1 else []), *(i + 2 for i in used)]
    heads = ("program", "what", *COLUMNS)
    rows = tuple(tuple(row[i] for i in chosen) for row in every)
    return HardwareTable(tuple(heads[i] for i in chosen), rows, note(here=0 in used))


def programs_named(*names: str) -> list[Program]:
    """The programs of these names, and those made of functions or topics of these names.

    Raises:
        LookupError: there is none, and the message names the nearest, if one is near.
    """
    if not names:
        return list(programs())
    names_of = {p: (str(p), p.pair, p.pair.partition(".")[0]) for p in programs()}
    chosen: dict[Program, None] = {}  # each once
    for name in names:
        matching = [program for program, its_names in names_of.items() if name in its_names]
        if not matching:
            known = dict.fromkeys(chain.from_iterable(names_of.values()))
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"the nearest is {near[0]}" if near else "hardware_table() shows what is"
            raise LookupError(f"no {name!r} is compiled for other devices; {hint}")
        chosen |= dict.fromkeys(matching)
    return list(chosen)


def note(here: bool) -> str:
    """When all this was compiled, and by what; for this CPU too, if it has a column."""
    made = recorded()
    by = made.versions
    now = f" jax {version('jax')} compiled for this CPU just now." if here else ""
    return (
        f"Compiled on {made.date}, but not run: for the H100 by jax {by['jax']} with its CUDA "
        f"plugin, for the TPU v5e by jax with libtpu {by['libtpu']}. torch {by['torch']} wrote "
        f"Inductor's code for the H100, and Triton did not compile it.{now}"
    )


def _rows(program: Program, wanted: Sequence[str], here: bool) -> Iterator[tuple[str, ...]]:
    entry = recorded().programs.get(str(program))
    if entry is None:
        raise LookupError(f"{program} is listed but not compiled yet; run `nox -s hardware`")
    on_cpu = _on_cpu(program) if here else None
    for name in wanted:
        yield str(program), name, *_texts(QUANTITIES[name], entry, on_cpu)


def _texts(quantity: Quantity, entry: Entry, on_cpu: Analysis | None) -> Iterator[str]:
    for analysis in (on_cpu, entry.xla.get("h100"), entry.xla.get("v5e")):
        yield quantity.xla(analysis) if analysis else NONE
    yield quantity.inductor(entry.inductor) if entry.inductor else NONE


@cache
def _on_cpu(program: Program) -> Analysis | None:
    """The program compiled here; ``None`` where JAX, or a device, is missing."""
    if "jax" not in program.halves or find_spec("jax") is None:
        return None
    import jax

    from jaxvstorch._hardware import lowering

    devices = jax.devices("cpu")
    enough = len(devices) >= program.devices
    return analyse(lowering.compile(program, devices)) if enough else None
