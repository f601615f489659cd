"""One training step on several processes: programs to start by hand, or by ``run_processes``.

Each process runs the same program. ``jax_step`` and ``torch_step`` run the topic's ``train_step``,
as it stands, on arrays that lie on all processes; ``torch_module`` wraps a module instead. In
``jax_ending`` and ``torch_ending`` one of the processes goes wrong.
"""

from jaxvstorch.examples.parallelism.processes.running import Ended, run_processes

__all__ = ["Ended", "run_processes"]
