// burstline: n=1048576
#define TAPS 8
__kernel void filter(__global const float *restrict x, __constant float *restrict h, __global float *restrict y,
                     const int n)
{
    for (int i = TAPS - 1; i < n; i++) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < TAPS; k++)
            sum += h[k] * x[i - k];
        y[i] = sum;
    }
}
