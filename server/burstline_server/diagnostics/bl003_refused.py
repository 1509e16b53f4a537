"""BL003."""

from burstline_server.diagnostics.faulty import FaultRule


class Refused(FaultRule):
    """OpenCL C does not allow it.

    Calls with a wrong number of arguments, assignments to constants and through pointers to `const` or `__constant`,
    kernels that return a value, recursion, operators that do not take their operands' types, and directives that end
    the compilation: an active `#error`, an `#if` without its end.

    Where libclang is installed (`pip install "burstline[clang]"`, or the system's), it is asked as well, about texts
    whose headers and `-D` are all known. What it adds says so: `(libclang)`. `clang = "off"` in `burstline.toml` or the
    editor's settings leaves it out.

    Before:

        __kernel void clear(__global const float *restrict y)
        {
            y[get_global_id(0)] = 0.0f;
        }

    After:

        __kernel void clear(__global float *restrict y)
        {
            y[get_global_id(0)] = 0.0f;
        }
    """

    code = "BL003"
    name = "not allowed"
    kind = "refused"
