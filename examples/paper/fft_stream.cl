// The memory side of a streaming one-dimensional FFT: eight complex points in and out each cycle.
// The butterflies are left out; what reaches memory is the same.

#define POINTS_PER_CYCLE 8

__kernel void fft_stream(__global const float2 *restrict source,
                         __global float2 *restrict destination,
                         const int points)
{
    for (int base = 0; base < points; base += POINTS_PER_CYCLE) {
        float2 window[POINTS_PER_CYCLE];
        #pragma unroll
        for (int k = 0; k < POINTS_PER_CYCLE; k++)
            window[k] = source[base + k];
        #pragma unroll
        for (int k = 0; k < POINTS_PER_CYCLE; k++)
            destination[base + k] = (float2)(window[k].y, -window[k].x);
    }
}
