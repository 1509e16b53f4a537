// The sum of INPUTS arrays (0 to 5), LANES work-items side by side, STRIDE elements apart; FROM_OFFSET starts where an
// argument says. TRIPLES moves elements 3i, 3i + 1 and 3i + 2 instead. CHANNELS gives each array a pseudo-channel of
// its own.

#ifndef STRIDE
#define STRIDE 1
#endif

#ifdef CHANNELS
#define IN(number) __attribute__((buffer_location("HBM" #number))) const float *restrict
#define OUT __attribute__((buffer_location("HBM0"))) float *restrict
#else
#define IN(number) const float *restrict
#define OUT float *restrict
#endif

#if INPUTS == 0
#define SUM(i) i
#elif INPUTS == 1
#define SUM(i) a[i]
#elif INPUTS == 2
#define SUM(i) a[i] + b[i]
#elif INPUTS == 3
#define SUM(i) a[i] + b[i] + c[i]
#elif INPUTS == 4
#define SUM(i) a[i] + b[i] + c[i] + d[i]
#else
#define SUM(i) a[i] + b[i] + c[i] + d[i] + e[i]
#endif

__attribute__((reqd_work_group_size(32768, 1, 1)))
__attribute__((num_simd_work_items(LANES)))
__kernel void sum(__global IN(1) a, __global IN(2) b,
#if INPUTS > 2
                  __global IN(3) c,
#endif
#if INPUTS > 3
                  __global IN(4) d,
#endif
#if INPUTS > 4
                  __global IN(5) e,
#endif
                  __global OUT z, const uint offset)
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
