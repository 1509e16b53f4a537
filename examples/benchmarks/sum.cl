// The sum of INPUTS arrays (0 to 5), LANES work-items side by side, STRIDE elements apart; FROM_OFFSET starts where an
// argument says. TRIPLES moves elements 3i, 3i + 1 and 3i + 2 instead.

#ifndef STRIDE
#define STRIDE 1
#endif

#include "arrays.h"

__attribute__((reqd_work_group_size(32768, 1, 1)))
__attribute__((num_simd_work_items(LANES)))
__kernel void sum(ARRAYS, const uint offset)
{
    const int item = get_global_id(0);
#ifdef TRIPLES
    z[3 * item] = SUM(3 * item);
    z[3 * item + 1] = SUM(3 * item + 1);
    z[3 * item + 2] = SUM(3 * item + 2);
#else
#ifdef FROM_OFFSET
    const int at = STRIDE * item + offset;
#else
    const int at = STRIDE * item;
#endif
    z[at] = SUM(at);
#endif
}
