"""BL101."""

from burstline_server.diagnostics.observed import ObservationRule


class NonAligned(ObservationRule):
    """A vectorised request whose address is not provably a multiple of its width.

    The unit then joins requests thread by thread, opens more rows, and may need two words for one request.
    Whatever enters the address at run time (an offset argument, a row length, a halo) breaks the proof;
    constants that are multiples of the width keep it.

    Before:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void shift(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i + 1];
        }

    After:

        __attribute__((reqd_work_group_size(256, 1, 1), num_simd_work_items(16)))
        __kernel void shift(__global const float *restrict x, __global float *restrict y)
        {
            int i = get_global_id(0);
            y[i] = x[i + 16];
        }
    """

    code = "BL101"
    name = "non-aligned access"
    number = 5
    settings = "board=p385a interleaving=off bank[x]=0 bank[y]=1 global_size=(1048576)"
