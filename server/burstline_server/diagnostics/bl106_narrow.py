"""BL106."""

from burstline_server.diagnostics.observed import ObservationRule


class Narrow(ObservationRule):
    """A unit that asks for fewer bytes per cycle than the memory could deliver.

    The opening example of M21: narrow, often conditional accesses leave the bandwidth unused. Widen the
    request to a full memory word by SIMD work-items, by unrolling, or by a vector type.

    Before:

        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }

    After:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void copy(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i];
        }
    """

    code = "BL106"
    name = "request too narrow"
    number = 0
    settings = "global_size=(1048576)"
