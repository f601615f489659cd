"""Pure and impure functions: what a compiler keeps of what a function reads and writes outside."""
