"""What ``jaxvstorch port`` does: a program run as it is, and each call done in the other framework.

``replay`` watches PyTorch's calls, ``judging`` does each again in JAX by the map of names and
compares, ``filling``, ``simplifying`` and ``folding`` write the JAX with the reader's own
arguments, and ``report`` keeps it by source line. ``at_home``, ``apart`` and ``silence`` keep it
all from the program's eyes. ``program`` runs a file under it, ``reading`` is what can be known
without running, and ``draft`` writes the port.
"""

LIMIT = 8  # calls of one function on one line that are done again
