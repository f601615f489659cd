"""What ``explain`` and ``ledger`` need of PyTorch."""
