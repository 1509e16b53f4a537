"""BL103."""

from burstline_server.diagnostics.observed import ObservationRule


class WriteAck(ObservationRule):
    """A store whose place a later access may touch: the kernel waits until the memory has acknowledged it.

    M21's Observation 3: every request then moves a whole burst for one element. `restrict`, one guarded store
    in place of two, or a private copy of what is read back remove the dependence. Compilers from 19.3 on
    build no such units any more.

    Before:

        __kernel void scatter(__global const int *restrict where, __global float *restrict y, int n)
        {
            for (int i = 0; i < n; i++) {
                y[i] = 0.0f;
                y[where[i]] = 1.0f;
            }
        }

    After:

        __kernel void scatter(__global const int *restrict where, __global float *restrict y, int n)
        {
            for (int i = 0; i < n; i++)
                y[where[i]] = 1.0f;
        }
    """

    code = "BL103"
    name = "write that waits for an acknowledgement"
    number = 3
    settings = "aoc_version=18.1 n=1048576"
