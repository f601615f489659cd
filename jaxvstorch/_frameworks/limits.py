"""How long something may take before it counts as hanging: the package's one limit of time.

It must hold on a machine that is busy with ten other jobs, so what is slow never reaches it.
"""

HANGING = 1_200  # seconds
