"""Writes a draft in PyTorch, compares it with the program, and records what is left."""

import io
from contextlib import redirect_stdout
from dataclasses import asdict
from pathlib import Path

from jaxvstorch._files import write_marked
from jaxvstorch._port.draft.commenting import count_marks
from jaxvstorch._port.draft.parity import left_to_do
from jaxvstorch._port.records import Record, Records
from jaxvstorch._port.report_data import short
from jaxvstorch._port.torch_draft.composing import compose
from jaxvstorch._port.torch_draft.parity import compare_parts, title_of
from jaxvstorch._port.torch_draft.recording import Recording


def record_calls(recording: Recording, records: Records) -> None:
    """Record each call that the program made of JAX or a library of it."""
    for location, call in recording.port_calls():
        records.add(Record.CALL, location=asdict(location), call=asdict(call))


def write_draft(recording: Recording, path: Path, records: Records) -> None:
    """Write the draft, and compare its parts with the program's."""
    try:
        source, rewriter = compose(recording)
        write_marked(source, path)
    except Exception as error:
        why = isinstance(error, OSError) and error.strerror
        records.add(Record.FAILED_DRAFT, why=why or f"{type(error).__name__}: {error}")
        return
    results = dict[str, str]()
    with redirect_stdout(io.StringIO()):  # the program alone prints
        for name, result in compare_parts(path, recording, rewriter):
            records.add(Record.PARITY, name=name, result=result)
            results[name] = result
    left = left_to_do(count_marks(source), [*results.values()])
    steps = [results.get(title_of(n), "") for n, calls in recording.calls.items()
             if any(call.updates for call in calls)]  # fmt: skip
    if left.startswith("nothing is left") and rewriter.made_optimizers:
        compared = any(text.startswith("at parity") for text in steps)
        left = left if compared else "nothing is marked in it, but no step of training was compared"
    records.add(Record.NOTE, text=f"The draft is in {short(str(path))}; {left}.")
