"""Pure and impure functions: what compilers do with what a function reads and writes outside."""
