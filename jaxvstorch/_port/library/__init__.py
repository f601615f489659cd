"""A library's model as a plain program of PyTorch: what one configuration of it ran.

``watching`` runs the model and keeps which expressions ran, and with which values. ``pruning``
reduces a function to that, ``gathering`` collects the functions and classes, ``narrowing`` takes
out parameters that were always the same or are never read, and ``writing`` writes the program,
which ``draft`` then drafts like a program of the reader's.
"""
