"""What ``jaxvstorch explain`` puts out: standard output, its page, and what --fail-on found."""

import difflib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from jaxvstorch._command import BadInputError, terminal
from jaxvstorch._explain.both import BothExplanations
from jaxvstorch._explain.explanation import Explanation
from jaxvstorch._explain.ledger_rows import Ledger
from jaxvstorch._explain.rendering import html, html_both

Shown = Explanation | BothExplanations

KINDS = ("break", "retrace", "impure", "frozen", "unrolled", "callback", "failed")


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send what others print to standard error, so that standard output holds the result alone."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except OSError:  # replaced by something that is not a file, as in a test
        with redirect_stdout(sys.stderr):
            yield
        return
    # Redirect the file descriptor too: compilers and their processes do not print through Python.
    kept = os.dup(number)
    os.dup2(sys.stderr.fileno(), number)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, number)
        os.close(kept)


def show(shown: Shown, ledger: Ledger | None, as_json: bool) -> None:
    """Print what was found: in colour in a terminal, as plain text in a pipe, or as JSON."""
    if as_json:
        document = shown.to_dict()
        if ledger is not None:
            document["ledger"] = ledger.to_dict()
        print(json.dumps(document, indent=1))
        return
    parts = [shown] if ledger is None else [shown, "", ledger]
    out = terminal.console()
    if out.is_terminal:
        out.print(*parts, sep="\n")
    else:
        print(*parts, sep="\n")


def kinds(text: str | None, calls: int) -> tuple[str, ...]:
    """What ``--fail-on`` names.

    Args:
        text: separated by commas.
        calls: how many calls the ledger has.

    Raises:
        BadInputError: there is no such kind, or seeing it takes more calls.
    """
    wanted = tuple(word.strip() for word in (text or "").split(",") if word.strip())
    if text is not None and not wanted:
        raise BadInputError(f"--fail-on needs one of {', '.join(KINDS)}")
    for word in wanted:
        if word not in KINDS:
            near = difflib.get_close_matches(word, KINDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(KINDS)}"
            raise BadInputError(f"--fail-on {word!r}: {hint}")
    if "retrace" in wanted and calls < 2:
        raise BadInputError("--fail-on retrace compares calls: give --call at least twice")
    return wanted


def violations(wanted: tuple[str, ...], shown: Shown, ledger: Ledger | None) -> list[str]:
    """One sentence for each finding of the kinds that ``--fail-on`` names."""
    found = [
        f"{finding.kind} at {_short(finding.file)}:{finding.line}: {finding.what}"
        for explanation in (shown.explanations if isinstance(shown, BothExplanations) else [shown])
        for finding in explanation.findings
        if finding.kind in wanted
    ]
    if ledger is not None and "retrace" in wanted:
        for number, call in enumerate(ledger.calls[1:], start=2):
            if call.retraced:
                why = call.why or "no reason was reported"
                found.append(f"retrace at call {number} ({call.arguments}): {why}")
    return found


def _short(file: str) -> str:
    """A path as one would type it here."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def page_of(shown: Shown, ledger: Ledger | None) -> str:
    """The web page."""
    if isinstance(shown, BothExplanations):
        return html_both.page(shown.explanations, shown.printed)
    return html.page(shown, ledger=ledger)
