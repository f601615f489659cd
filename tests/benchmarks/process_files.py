"""What the process of one framework writes."""

from result_files import CPU


def part(*entries, failed=(), **more):
    session = {
        "busy": 45.0, "set_up": 1.0, "failed": list(failed), "versions": {"jax": "1"},
        "threads": 2, "left_out": [], "device": CPU, "precision": {"tf32": False},
        "peak_memory": None,
    }  # fmt: skip
    return {"benchmarks": list(entries), "session": session | more}


def timed(name, *rounds, framework="jax", mode="compiled", **more):
    case = {
        "topic": "branching", "name": name, "size": 16, "framework": framework, "mode": mode,
        "calls_per_run": 1, "moved": 0, "operations": 0, "memory": 0, "dtype": "float32",
        "first_call": None, "new_shape": None, "queued": None,
    }  # fmt: skip
    return {
        "extra_info": {"case": case | more},
        "stats": {"min": min(rounds), "rounds": len(rounds)},
    }
