"""What ``explain`` and ``ledger`` ask of JAX."""
