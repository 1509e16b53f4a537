"""BL103."""

from burstline_server.diagnostics.observed import ObservationRule


class WriteAck(ObservationRule):
    """A store whose place a later access may touch: the kernel waits until the memory has acknowledged it.

    M21's Observation 3: every request then moves a whole burst for one element. `restrict`, one guarded store
    in place of two, or a private copy of what is read back remove the dependence. Compilers from 19.3 on
    build no such units any more.

    Before:

        __kernel void scale(__global const float *x, __global float *y, __global float *z)
        {
            int i = get_global_id(0);
            y[i] = 2.0f * x[i];
            z[i] = 3.0f * x[i + 1];
        }

    After:

        __kernel void scale(__global const float *restrict x, __global float *restrict y, __global float *restrict z)
        {
            int i = get_global_id(0);
            y[i] = 2.0f * x[i];
            z[i] = 3.0f * x[i + 1];
        }
    """

    code = "BL103"
    name = "write that waits for an acknowledgement"
    number = 3
    settings = "aoc_version=18.1 global_size=1048576"
