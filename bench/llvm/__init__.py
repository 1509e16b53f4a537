"""Public kernels as LLVM leaves them, against what is read of them here.

``python -m bench.llvm FOLDER…`` asks clang and opt about every kernel below the folders, and compares what is left
of global accesses on each line, the constant steps of their addresses, and trip counts. Needs what `burstline` itself
uses of LLVM: a ``clang`` from version 14 on with its ``opt``.
"""
