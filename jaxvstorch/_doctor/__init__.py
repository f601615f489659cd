"""Checks a machine for what the package needs, without importing a framework in this process."""

import os

from rich.console import Console
from rich.text import Text

from jaxvstorch._doctor import (
    compiler,
    devices,
    inductor_cache,
    packages,
    settings,
    temporary,
)
from jaxvstorch._doctor.check import Check as Check


def examine() -> list[Check]:
    """Run all checks; this takes as long as importing both frameworks."""
    environ = dict(os.environ)
    gpu = devices.nvidia_gpu(environ)
    answers = devices.blame(devices.ask_all(packages.installed_frameworks()), environ)
    return [
        *packages.check_versions(),
        *packages.check_cuda_stacks(),
        *devices.check(answers, gpu, environ),
        temporary.check(environ),
        *compiler.check(environ, needed="torch" in answers),
        *settings.check_caches(answers, environ),
        *inductor_cache.check(environ, needed="torch" in answers),
        *settings.check_memory(environ, shared_gpu=gpu and len(answers) > 1),
        *settings.check_threads(answers, environ),
    ]


def report(out: Console, checks: list[Check]) -> None:
    """Print the checks, section by section, and below each problem how to fix it."""
    width = max(len(check.name) for check in checks)
    for number, check in enumerate(checks):
        if number == 0 or check.section != checks[number - 1].section:
            out.print(Text(("\n" if number else "") + check.section, style="bold"))
        mark = Text("wrong", style="bold red") if check.problem else Text("ok   ", style="green")
        out.print(
            Text.assemble("  ", mark, f"  {check.name:{width}}  {check.value}"), soft_wrap=True
        )
        indent = " " * 9
        if check.problem:
            out.print(Text(f"{indent}{check.problem}", style="red"), soft_wrap=True)
        if check.note:
            out.print(Text(f"{indent}{check.note}"), soft_wrap=True)
        if check.cure:
            out.print(Text(f"{indent}To fix it: {check.cure}"), soft_wrap=True)
    wrong = sum(check.problem is not None for check in checks)
    things = "1 thing is" if wrong == 1 else f"{wrong} things are"
    verdict = Text(f"{things} wrong.", "bold red") if wrong else Text("Nothing is wrong.", "green")
    out.print(Text("\n") + verdict)
