"""Explanations take turns: what they look on at belongs to the whole process."""

import threading

# A function that is explained may itself explain another one.
LOCK = threading.RLock()
