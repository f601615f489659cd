"""Side effects and global state: what compilers make of a function's outside reads and writes."""
