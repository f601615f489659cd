"""What ``explain`` and ``ledger`` ask of Python: what code says and does, what objects hold."""
