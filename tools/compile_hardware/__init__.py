"""Compiles what the topics' ``hardware.py`` list for an H100 and a TPU v5e, without either."""
