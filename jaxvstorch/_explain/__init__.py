"""What a compiler made of a function, from what the frameworks themselves report."""

import threading

# Explanations take turns, since what they watch belongs to the whole process. The lock is
# reentrant: a function that is explained may itself explain another one.
LOCK = threading.RLock()
