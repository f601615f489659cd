"""The index of errors: what each message of JAX and PyTorch means, and what to do about it."""
