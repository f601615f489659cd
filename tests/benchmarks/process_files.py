"""What the process of one framework writes: parts of it, for tests to pool and to merge."""

from result_files import CPU


def entry(framework, mode="compiled", minimum=1e-3, **more):
    case = {
        "topic": "branching", "name": "select_where", "size": 16, "framework": framework,
        "mode": mode, "moved": 0, "operations": 0, "memory": 0,
        "dtype": "float32", "first_call": None,
        "new_shape": None,
    }  # fmt: skip
    stats = {"sessions": [minimum], "rounds": 7}
    return {"extra_info": {"case": case | more}, "stats": stats}


def part(*entries, failed=()):
    session = {
        "busy": 45.0, "set_up": 1.0, "failed": list(failed), "versions": {"jax": "1"},
        "threads": 2, "left_out": [], "device": CPU, "precision": {"tf32": False},
        "peak_memory": None,
    }  # fmt: skip
    return {"benchmarks": list(entries), "session": session}


def timed(framework, name, rounds, calls_per_run=1, **more):
    stats = {"min": min(rounds), "rounds": len(rounds)}
    found = entry(framework, calls_per_run=calls_per_run, **more)
    return found | {"name": name, "stats": stats}
