"""Run by each kernel before its page's first cell.

Importing the frameworks and compiling make much that stays, so there is little garbage to find. By
Python's own thresholds, looking for it was a third of what the cells on loops took: 16 s, and 11
without (2 cores, 2026-11-22).

What a cell prints goes to the page once, at the cell's end. Sent every fifth of a second, as it
would be, a line can come in two parts, and MyST-NB puts each of them on a line of its own.

A page must not find a name here that its notebook would not have, so nothing is imported.
"""

__import__("gc").set_threshold(100_000, 20, 20)
__import__("sys").stdout.flush_interval = 3_600  # seconds: the cell's end comes sooner
