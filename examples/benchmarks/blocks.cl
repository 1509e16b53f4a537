// Arrays read and written in overlapping blocks, as stencil codes walk a row: each block starts HALO elements before the
// last one ended. VEC lanes side by side, BLOCK elements in a block. READS and WRITES choose the kernel; WORK_ITEMS
// makes it an NDRange of BLOCK / VEC work-items a block, otherwise one work-item walks all blocks.

#if WRITES == 2
#define OUTPUTS , __global float *restrict c, __global float *restrict d
#define MOVE(at) c[at] = a[at]; d[at] = b[at]
#elif READS == 3
#define OUTPUTS , __global const float *restrict c, __global float *restrict d
#define MOVE(at) d[at] = a[at] + b[at] + c[at]
#elif READS == 2
#define OUTPUTS , __global float *restrict d
#define MOVE(at) d[at] = a[at] + b[at]
#elif WRITES == 1
#define OUTPUTS , __global float *restrict d
#define MOVE(at) d[at] = a[at]
#else
#define OUTPUTS , __global float *restrict d
#define MOVE(at) seen[lane] = a[at]
#endif

#if READS > 1
#define INPUTS __global const float *restrict a, __global const float *restrict b
#else
#define INPUTS __global const float *restrict a
#endif

#ifdef WORK_ITEMS

__attribute__((reqd_work_group_size(BLOCK / VEC, 1, 1)))
__kernel void walk(INPUTS OUTPUTS, const int pad, const long length, const int halo)
{
    const int block = get_group_id(0);
    const int column = get_local_id(0) * VEC;
    const long first = (long)block * (BLOCK - 2 * halo) + column - halo;
#if WRITES == 0
    float seen[VEC];
#endif

    #pragma unroll
    for (int lane = 0; lane < VEC; lane++) {
        const long place = first + lane;
        if (place >= 0 && place < length) {
            MOVE(pad + place);
        }
    }
#if WRITES == 0
    // One store, so that the loads are not removed.
    if (block == 0 && column == 0) {
        #pragma unroll
        for (int lane = 0; lane < VEC; lane++)
            d[lane] = seen[lane];
    }
#endif
}

#else

__attribute__((max_global_work_dim(0)))
__kernel void walk(INPUTS OUTPUTS, const int pad, const long length, const long steps, const int halo)
{
    int column = 0;
    long begin = 0;

    for (long step = 0; step != steps; step++) {
        const long first = begin + column - halo;
#if WRITES == 0
        float seen[VEC];
#endif

        #pragma unroll
        for (int lane = 0; lane < VEC; lane++) {
            const long place = first + lane;
            if (place >= 0 && place < length) {
                MOVE(pad + place);
            }
        }

        column = (column + VEC) & (BLOCK - 1);
        if (column == 0) {
#if WRITES == 0
            // One store, so that the loads are not removed.
            if (begin == 0) {
                #pragma unroll
                for (int lane = 0; lane < VEC; lane++)
                    d[lane] = seen[lane];
            }
#endif
            begin += BLOCK - 2 * halo;
        }
    }
}

#endif
