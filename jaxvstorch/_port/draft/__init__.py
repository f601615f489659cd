"""The draft of a port: the program in flax's NNX, for what its run reached.

``recording`` keeps what was called and made, in the classes of ``recorded``; ``seen`` is what it
knows of one file. ``expressions``, ``modules``, ``classes``, ``rewriting``, ``optimizers`` and
``training`` rewrite a file, each building on the one before. ``files`` selects what goes in,
``composing`` and ``formatting`` write the draft. ``parity`` compares it with the program: its parts
by ``comparing``, its training steps by ``stepping``.
"""
