"""BL104."""

from burstline_server.diagnostics.observed import ObservationRule


class Atomic(ObservationRule):
    """Atomics are the most expensive load/store unit: one operation per cycle, each a read and a write of DRAM.

    M21's Observation 4. Gather privately or in local memory first and issue one atomic for many values.

    Before:

        __kernel void count(__global const int *restrict x, __global int *restrict bins)
        {
            atomic_add(&bins[x[get_global_id(0)]], 1);
        }

    After:

        __kernel void count(__global const int *restrict x, __global int *restrict bins, int n)
        {
            int sum = 0;
            for (int i = 0; i < n; i++)
                sum += x[i];
            bins[0] = sum;
        }
    """

    code = "BL104"
    name = "atomic on global memory"
    number = 4
    settings = "global_size=(1048576)"
