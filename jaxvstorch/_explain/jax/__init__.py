"""What ``explain`` and ``ledger`` need of JAX."""
