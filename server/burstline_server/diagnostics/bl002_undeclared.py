"""BL002."""

from burstline_server.diagnostics.faulty import FaultRule


class Undeclared(FaultRule):
    """A name is declared nowhere: a variable, a function, a type, a member, or a number of copies.

    The kernels that use it have no figures. Where the build may define the name, by `-D` or in a header that is not
    found, it is a warning that says what to set: `defines` and `include_paths` in `burstline.toml`, or `-D` and `-I`.
    A name in capital letters that is used as a number counts as an unknown constant instead (BL302).

    Before:

        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[j];
        }

    After:

        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }
    """

    code = "BL002"
    name = "undeclared name"
    kind = "undeclared"
