// Arria 10 19.4
// Copies of one loop that lie apart by what the text does not fix have units of their own; in each of them the copies
// of the others, and the lanes, are merged as everywhere.

__attribute__((reqd_work_group_size(8, 8, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void tile(__global const float *restrict a, __global float *restrict y, const int pitch)
{
    const int x = get_local_id(0);
    float sum = 0.0f;
    #pragma unroll
    for (int r = 0; r < 4; r++)
        sum += a[(get_group_id(1) * 32 + r) * pitch + x];
    //         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced non-aligned cached 128 x4
    y[get_global_id(1) * 64 + get_global_id(0)] = sum;
}

// A pitch that whole requests divide keeps every row aligned.
__kernel void aligned(__global const float *restrict a, __global float *restrict y, const int n, const int pitch)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        #pragma unroll
        for (int r = 0; r < 2; r++)
            #pragma unroll
            for (int c = 0; c < 8; c++)
                sum += a[r * 8 * pitch + 8 * i + c];
    //                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 256 x2
        y[i] = sum;
    }
}

// Work-items run a loop inside one of unknown trips as one loop with it: nothing is unrolled unasked.
__kernel void together(__global const float *restrict a, __global float *restrict y, const int n)
{
    const int at = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 10; k++)
            sum += a[16 * i + k] * at;
    //             ^^^^^^^^^^^^^ Burst-coalesced cached 32
    y[at] = sum;
}
