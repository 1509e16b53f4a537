"""What LLVM leaves of a kernel, where a clang with its opt is installed: accesses, their steps, trip counts."""
