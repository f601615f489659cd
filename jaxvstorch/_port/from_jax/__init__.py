"""Does a JAX function again in PyTorch: each call of the reader's, and each operation of its jaxpr.

``tracing`` traces the function while ``watching`` passes the reader's calls through a ``watcher``,
which leaves ``marks`` in the jaxpr. ``interpreter`` runs the jaxpr. At a mark, ``calls`` does the
whole call in PyTorch: ``candidates`` has the ways to, from the map's lines, whose expressions
``fitting`` fills with the call's arguments. ``layers`` and ``optimizers`` are those of libraries:
``layer_calls`` does a layer, ``settings`` says what it was made with, ``composed`` those that hold
others. Each operation is done too: ``equation`` does one, ``primitives`` has the function for it,
and ``spelling`` writes down what ran. Where a call has no line, its operations say whether PyTorch
can do it. ``wording`` says how the report puts it.
"""
