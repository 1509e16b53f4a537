"""BL105."""

from burstline_server.rules.observed import ObservationRule


class SharedBank(ObservationRule):
    """More than two units in one memory bank: rows are opened anew for every burst.

    M21's Observation 1. One bank (manual placement, interleaving off) or one HBM2 pseudo-channel for each
    access makes the overhead zero; fewer separate pointers make it smaller.

    Before:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void add(__global const float *restrict x, __global const float *restrict y,
                          __global float *restrict z)
        {
            int i = get_global_id(0);
            z[i] = x[i] + y[i];
        }

    After:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void add(__global const float *restrict x, __global float *restrict z)
        {
            int i = get_global_id(0);
            z[i] = x[i] + 1.0f;
        }
    """

    code = "BL105"
    name = "several units in one bank"
    number = 1
    settings = "global_size=(1048576)"
