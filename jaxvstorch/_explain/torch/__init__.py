"""What ``explain`` and ``ledger`` ask of PyTorch."""
