"""Memory use: how much memory a program needs, and what makes it need less.

``momentum_step`` replaces its state. ``kernel_means*``, ``attention_*`` and ``cross_entropy*`` have
a large intermediate, whole or in chunks. ``layers*`` keep different parts of one network for the
backward pass, and ``accumulated_gradient`` processes a batch in parts.
"""
