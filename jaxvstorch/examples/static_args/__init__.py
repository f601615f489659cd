"""Static arguments: a flag, a function, a number of samples or axes decide what is computed.

``loss`` and ``gated`` take their option as a Python value; ``loss_where`` and ``gated_by_name``
take it in another way. ``scaled`` takes a number that decides nothing.
"""
