"""BL102."""

from burstline_server.diagnostics.observed import ObservationRule


class Strided(ObservationRule):
    """A step between neighbours that leaves gaps: whole bursts are fetched and most of them thrown away.

    M21's Observation 2: the stride multiplies the transactions, and discarded data saturates the memory.
    Store only what is read together side by side, or use what is fetched.

    Before:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void even(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[2 * i];
        }

    After:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void even(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }
    """

    code = "BL102"
    name = "strided access"
    number = 2
    settings = "N=0 global_size=(1048576)"
