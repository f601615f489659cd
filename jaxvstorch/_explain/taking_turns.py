"""Explanations take turns: what they watch belongs to the whole process."""

import threading

# A function that is explained may itself explain another one.
LOCK = threading.RLock()
