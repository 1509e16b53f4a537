"""Public kernels really run at small sizes, against what is said of their global accesses.

``python -m bench.traces FOLDER…`` compiles every kernel below the folders with clang, optimises it with the passes that
leave what a compiler for FPGAs leaves (dead, repeated and loop-invariant loads are gone, loops stay loops), and runs it
in Oclgrind with a plugin that sees every address. Executions, bytes and steps are compared with the model's for the
same arguments and sizes. Needs Debian's ``clang-14 llvm-14-dev oclgrind liboclgrind-dev opencl-c-headers g++``.
"""
