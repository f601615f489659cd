"""A report as HTML: a fragment for notebooks, and a page of its own."""

import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from itertools import groupby

from jaxvstorch._explain.rendering.html_page import MADE
from jaxvstorch._frameworks import TITLES
from jaxvstorch._port.rendering.text import gap_text, summary
from jaxvstorch._port.report_data import PortCall, PortLine, PortStatus, ReportData, short

_STYLE = files(__package__).joinpath("port.css").read_text("utf-8")
# The class of each status in the style sheet.
_CLASSES = {status: f"s{number}" for number, status in enumerate(PortStatus)}


def fragment(report: ReportData) -> str:
    """HTML for a place in a page, with the style that it needs."""
    return f'<style>{_STYLE}</style><div class="jaxvstorch-port">{_body(report, "p", "p")}</div>'


def page(report: ReportData) -> str:
    """A whole page that needs no other file and no JavaScript."""
    title = f"{_files(report)}, ported"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f'<body class="jaxvstorch-port-page">\n<main class="jaxvstorch-port">\n'
        f"{_body(report, 'h1', 'h2')}{MADE}\n</main>\n</body>\n</html>\n"
    )


def _files(report: ReportData) -> str:
    return ", ".join(dict.fromkeys(short(file) for file, _ in report.files()))


def _body(report: ReportData, title: str, part: str) -> str:
    other = TITLES["jax" if report.framework == "torch" else "torch"]
    parts = [f'<{title} class="title"><code>{escape(_files(report))}</code> in {other}</{title}>']
    parts.append(f'<p class="summary">{escape(summary(report))}</p>')
    notes = [*([report.ended] if report.ended else []), *report.remarks()]
    parts += [f'<p class="note">{escape(note)}</p>' for note in notes]
    parts.append(_legend(report))
    if report.parity:
        rows = "".join(
            f"<dt><code>{escape(name)}</code></dt><dd>{escape(result)}</dd>"
            for name, result in report.parity.items()
        )
        parts.append(f'<{part} class="part">The draft</{part}><dl>{rows}</dl>')
    for file, lines in report.files():
        name = escape(short(file))
        parts.append(f'<{part} class="part"><code>{name}</code></{part}>')
        # A page may have several reports: each region needs its own name.
        label = f"Lines {lines[0].number} to {lines[-1].number} of {name} in {other}"
        parts.append(
            f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
            f"<ol>{''.join(map(_line, lines))}</ol></div>"
        )
    parts += _unreached(report, part)
    return "".join(parts)


def _legend(report: ReportData) -> str:
    counts = report.counts()
    items = "".join(
        f'<li class="{_CLASSES[status]}"><span class="sign">{escape(status.sign)}</span> '
        f"{counts[status]} {escape(status)}</li>"
        for status in PortStatus
        if status in counts
    )
    return f'<ul class="legend" aria-label="Calls by their outcome">{items}</ul>'


def _line(line: PortLine) -> str:
    calls = "".join(f"<li>{_call(call, times)}</li>" for call, times in line.calls.items())
    return (
        f'<li value="{line.number}"><span class="number">{line.number}</span>'
        f'<div><code class="source">{escape(line.text)}</code><ul>{calls}</ul></div></li>'
    )


def _call(call: PortCall, times: int) -> str:
    parts = [
        f'<span class="sign {_CLASSES[call.status]}">{escape(call.status.sign)}</span>'
        f'<span class="called">{escape(call.name)}</span>'
    ]
    if call.becomes:
        parts.append(f'<code class="becomes">{escape(call.becomes)}</code>')
    if times > 1:
        parts.append(f'<span class="times">{times} times</span>')
    if call.status != PortStatus.VERIFIED:
        parts.append(f'<span class="status {_CLASSES[call.status]}">{escape(call.status)}</span>')
    if text := gap_text(call):
        parts.append(f'<span class="times">{text}</span>')
    if call.note:
        parts.append(f'<span class="said">{_said(call.note)}</span>')
    return " ".join(parts)


def _said(note: str) -> str:
    """A note, what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(note))


def _unreached(report: ReportData, part: str) -> Iterator[str]:
    if not report.unreached:
        return
    yield f'<{part} class="part">Not seen to run</{part}>'
    for file, keys in groupby(sorted(report.unreached), key=lambda key: key[0]):
        items = "".join(
            f'<li value="{number}"><span class="number">{number}</span>'
            f'<code class="source">{escape(report.unreached[file, number].text)}</code></li>'
            for _, number in keys
        )
        name = escape(short(file))
        yield (
            f'<div class="scroll" role="region" tabindex="0" aria-label="{name}, not seen to run">'
            f'<p class="said">{name}</p><ol class="unreached">{items}</ol></div>'
        )
