"""What ``explain`` must leave as it was, as one dictionary per framework."""

import gc
import logging
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np


def of_python(loggers: tuple[str, ...]) -> dict[str, Any]:
    """The interpreter's state, and that of loggers whose names begin with one of these.

    Loggers that are first asked for later are left out: importing a module makes them.
    """
    known = {
        name: logging.getLogger(name)
        for name in logging.root.manager.loggerDict
        if name.startswith(loggers) and isinstance(logging.getLogger(name), logging.Logger)
    }
    return {
        "trace function": sys.gettrace(),
        "trace function of new threads": threading.gettrace(),
        "profile function": sys.getprofile(),
        "profile function of new threads": threading.getprofile(),
        "environment": dict(os.environ),
        "warning filters": list(warnings.filters),
        "how warnings are shown": warnings.showwarning,
        "loggers": {
            name: _of_logger(logger) for name, logger in {"": logging.root, **known}.items()
        },
        "logging disabled": logging.root.manager.disable,
        "random": random.getstate(),
        "numpy.random": repr(np.random.get_state()),
        "threads": threading.active_count(),
        "signal handler": signal.getsignal(signal.SIGINT),
        "recursion limit": sys.getrecursionlimit(),
        "garbage collection": gc.isenabled(),
        "exception hook": sys.excepthook,
        "standard output": (sys.stdout, sys.stderr),
    }


def _of_logger(logger: logging.Logger) -> tuple[Any, ...]:
    return (
        logger.level,
        logger.propagate,
        logger.disabled,
        list(logger.handlers),
        [handler.level for handler in logger.handlers],
        list(logger.filters),
    )


def of_jax() -> dict[str, Any]:
    import jax
    from jax._src import monitoring, source_info_util

    return {
        **of_python(("jax",)),
        "config": dict(jax.config.values),
        "where equations come from": source_info_util.current,
        "listeners": list(monitoring.get_event_duration_listeners()),
        "values are traced": isinstance(jax.numpy.ones(1), jax.core.Tracer),
    }


def of_torch() -> dict[str, Any]:
    import torch
    from torch._dynamo import pgo, utils
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase
    from torch._guards import CompileContext, TracingContext

    _compile_once()
    return {
        **of_python(("torch",)),
        "config of Dynamo": torch._dynamo.config.get_config_copy(),
        "config of Inductor": torch._inductor.config.get_config_copy(),
        "counters": {name: dict(counts) for name, counts in utils.counters.items() if counts},
        "breaks": list(utils.graph_break_reasons),
        "metrics": [id(metrics) for metrics in utils.get_compilation_metrics()],
        "warned of": set(utils.warn_once_cache),
        "sizes seen": {str(code): str(sizes) for code, sizes in pgo.get_code_state().items()},
        "being compiled": (CompileContext.try_get(), TracingContext.try_get()),
        "how Dynamo reads": dict(vars(InstructionTranslatorBase)),
        "random": torch.get_rng_state().tolist(),
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "type": torch.get_default_dtype(),
        "device": torch.get_default_device(),
        "modes": torch.overrides._get_current_function_mode_stack(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "CPU threads": torch.get_num_threads(),
    }


@cache
def _compile_once() -> None:
    """The first compilation of a process takes away a handler that PyTorch gave a logger."""
    import torch

    torch.compile(torch.sin, backend="eager")(torch.ones(1))


@contextmanager
def unchanged(framework: str) -> Iterator[None]:
    """After this block everything is as before it; the error names what is not."""
    look = {"jax": of_jax, "torch": of_torch}[framework]
    before = look()
    yield
    after = look()
    loggers = before.pop("loggers")
    different = {name: (was, after[name]) for name, was in before.items() if after[name] != was}
    different |= {
        f"logger {name}": (was, after["loggers"][name])
        for name, was in loggers.items()
        if after["loggers"][name] != was
    }
    assert not different
