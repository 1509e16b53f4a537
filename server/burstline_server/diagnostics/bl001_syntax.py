"""BL001."""

from burstline_server.diagnostics.faulty import FaultRule


class Syntax(FaultRule):
    """The text is not OpenCL C: a semicolon, a bracket or an operand is missing, or there is one too many.

    The compiler ends here. The kernel that holds the fault, and every kernel that calls the function that holds it,
    have no figures until it is mended; other kernels keep theirs.

    Before:

        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0)
            y[i] = x[i];
        }

    After:

        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }
    """

    code = "BL001"
    name = "syntax"
    kind = "syntax"
