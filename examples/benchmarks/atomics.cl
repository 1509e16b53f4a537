// Sums of INPUTS arrays (1 to 5), each in one word of memory by an atomic addition; with INPUTS 0 a count of the
// work-items. LANES work-items side by side.

__attribute__((reqd_work_group_size(32768, 1, 1)))
__attribute__((num_simd_work_items(LANES)))
__kernel void atomics(__global int *restrict a, __global int *restrict b,
#if INPUTS > 2
                      __global int *restrict c,
#endif
#if INPUTS > 3
                      __global int *restrict d,
#endif
#if INPUTS > 4
                      __global int *restrict e,
#endif
                      __global int *restrict totals)
{
    const int item = get_global_id(0);
#if INPUTS == 0
    atomic_add(&totals[0], 1);
#endif
#if INPUTS > 0
    atomic_add(&totals[0], a[item]);
#endif
#if INPUTS > 1
    atomic_add(&totals[1], b[item]);
#endif
#if INPUTS > 2
    atomic_add(&totals[2], c[item]);
#endif
#if INPUTS > 3
    atomic_add(&totals[3], d[item]);
#endif
#if INPUTS > 4
    atomic_add(&totals[4], e[item]);
#endif
}
