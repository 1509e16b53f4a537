"""BL105."""

from burstline_server.diagnostics.observed import ObservationRule


class SharedBank(ObservationRule):
    """Pointers that share banks while others would do: rows are opened anew for every burst.

    M21's Observation 1. One bank (manual placement, interleaving off) or one HBM2 pseudo-channel for each
    pointer makes the overhead zero. Said only where the board has several banks and the kernel would be faster.

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
        __kernel void add(__global float *restrict z)
        {
            int i = get_global_id(0);
            z[i] += 1.0f;
        }
    """

    code = "BL105"
    name = "several units in one bank"
    number = 1
    settings = "board=p520 interleaving=off global_size=(1048576)"
