"""Why a Python process ended, from what it wrote to standard error."""

import re

_RAISED = re.compile(r"[\w.]+(Error|Exception)(: |$)")  # how the end of a traceback begins
# How XLA begins an error, and one that ends the process: with date, time, thread and place.
_ERROR = re.compile(r"([EF])\d{4} [\d:.]+ +\d+ \S+\] (.+)")


def last_words(status: int, errors: str) -> str:
    """The last error message of a process; for an abort without a message, the signal."""
    lines = [line.strip() for line in errors.splitlines()]
    errors_of_xla = [match.groups() for line in lines if (match := _ERROR.match(line))]
    if any(kind == "F" for kind, _ in errors_of_xla):
        return errors_of_xla[0][1]
    if status < 0:
        return f"importing it ended Python with signal {-status}"
    raised = [line for line in lines if _RAISED.match(line)]
    last = raised or [line for line in lines if line]
    return last[-1] if last else f"it exited with {status}"
