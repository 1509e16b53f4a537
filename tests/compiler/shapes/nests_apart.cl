// Stratix 10 18.1
// Each copy of an unrolled loop runs the loops inside by itself: what two copies access lies in two loops.

__kernel void columns(__global const float *restrict x, __global const float *restrict w, __global float *restrict y,
                      const int count, const int n)
{
    for (int r = 0; r < n; r++)
        #pragma unroll 4
        for (int c = 0; c < n; c++) {
            float sum = 0.0f;
            for (int k = 0; k < count; k++)
                sum += x[k * n + c] * w[k];
    //                 ^^^^^^^^^^^^ Burst-coalesced cached 32 x4
    //                 ^^^^^^^^^^^^ Arria 10 21.1: Burst-coalesced 32 x4
    //                                ^^^^ Burst-coalesced cached 32 x4
            y[r * n + c] = sum;
    //      ^^^^^^^^^^^^ Burst-coalesced 32 x4
        }
}

// Without a loop inside, the copies share a unit.
__kernel void wide(__global const float *restrict x, __global float *restrict y, const int n)
{
    #pragma unroll 4
    for (int c = 0; c < n; c++)
        y[c] = x[c];
    //         ^^^^ Burst-coalesced 128
}

// A loop inside that is unrolled as a whole is none in hardware.
__kernel void whole(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int r = 0; r < n; r++) {
        float sum = 0.0f;
        #pragma unroll
        for (int c = 0; c < 4; c++)
            #pragma unroll
            for (int k = 0; k < 4; k++)
                sum += x[16 * r + 4 * c + k];
    //                 ^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 512
        y[r] = sum;
    }
}
