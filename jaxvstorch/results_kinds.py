"""Of what kind each value of a results file is: tables that ``results_shape`` checks one with."""

from dataclasses import MISSING, fields
from types import UnionType
from typing import Any

from jaxvstorch.timings import KINDS, Timing

Kind = type | UnionType
FILE: dict[str, Kind] = {
    "date": str,
    "quick": bool,
    "sweeps": int,
    "select": str,
    "shard": str,
    "partial": bool,
    "left_out": list,
    "seconds": float,
    "share": float,
    "commit": str,
    "image": str,
    "machine": dict,
    "versions": dict,
    "threads": dict,
    "devices": dict,
    "precision": dict,
    "peak_memory": dict,
    "set_up": dict,
    "settings": dict,
    "problems": list,
    "clock": list,
    "timings": list,
}
# What each value in a list or dictionary of the file is, where all are of one kind.
EACH: dict[str, Kind] = {
    "left_out": str,
    "versions": str,
    "threads": int,
    "precision": dict,
    "peak_memory": int | None,
    "set_up": float,
    "settings": str | int,
    "problems": str,
}
MACHINE: dict[str, Kind] = {
    "cpu": str,
    "cores": int,
    "memory_bytes": int,
    "system": str,
    "driver": str | None,
    "gpus": list | None,
}
GPU: dict[str, Kind] = {"name": str, "memory_bytes": int | None}
DEVICE: dict[str, Kind] = {"platform": str, "name": str, "cuda": str | None}
CLOCK: dict[str, Kind] = {
    "framework": str,
    "function": str,
    "harness": float,
    "timeit": float,
    "torch_timer": float | None,
    "over_timeit": float,
    "over_timeit_spread": float | None,
    "over_torch_timer": float | None,
    "over_torch_timer_spread": float | None,
    "passed": bool,
}
TIMING: dict[str, Any] = {f.name: f.type for f in fields(Timing) if f.name != "platform"}
ALWAYS = {f.name for f in fields(Timing) if f.default is MISSING}
FRAMEWORKS = sorted({framework for framework, _ in KINDS})
