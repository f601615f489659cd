"""Run by each kernel before its page's first cell.

A kernel runs one page and ends, so nobody looks for garbage: importing the frameworks and compiling
make much that stays and little that does not. By Python's own thresholds, looking was a third of
what the cells on loops took (16 s, 2 cores, 2026-11-22); PyTorch would also look after each
compilation. Without, a page's process holds 2 to 3 % more memory (2026-11-23).

What a cell prints goes to the page once, at the cell's end. Sent every fifth of a second, as it
would be, a line can come in two parts, and MyST-NB puts each of them on a line of its own.

A page must not find a name here that its notebook would not have, so nothing is imported.
"""

__import__("gc").disable()
__import__("os").environ["TORCH_DYNAMO_RUN_GC_AFTER_COMPILE"] = "0"
__import__("sys").stdout.flush_interval = 3_600  # seconds: the cell's end comes sooner
