"""Run by each kernel before its page's first cell.

Importing the frameworks and compiling make much that stays, so there is little garbage to find. By
Python's own thresholds, looking for it was a third of what the cells on loops took: 16 s, and 11
without (2 cores, 2026-11-22). A page must not find a name here that its notebook would not have,
so nothing is imported.
"""

__import__("gc").set_threshold(100_000, 20, 20)
