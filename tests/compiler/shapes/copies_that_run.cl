// Arria 10 19.4
// Copies of an unrolled loop that a condition on its counter rules out have no unit; copies whose place a divisor
// decides that the text does not fix have one each.

__kernel void first_copy(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        float kept = 0.0f;
        #pragma unroll
        for (int k = 0; k < 16; k++)
            if (k == 0)
                kept = x[i + k];
    //                 ^^^^^^^^ Burst-coalesced 32
        y[i] = kept;
    }
}

__kernel void some_copies(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < 16; k++)
            if (k < 4)
                sum += x[16 * i + k];
    //                 ^^^^^^^^^^^^^ Burst-coalesced 128
        y[i] = sum;
    }
}

__kernel void around(__global const float *restrict x, __global float *restrict y, const int n, const int rows)
{
    for (int i = 0; i < n; i++) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < 16; k++)
            sum += x[(16 * i + k) % rows];
    //             ^^^^^^^^^^^^^^^^^^^^^^ Burst-coalesced 32 x16
        y[i] = sum;
    }
}
