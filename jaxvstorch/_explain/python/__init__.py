"""What ``explain`` and ``ledger`` need of Python: source, bytecode, tracing, objects."""
