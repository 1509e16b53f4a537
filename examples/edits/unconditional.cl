// burstline: n=1048576
__kernel void choose(__global const float *restrict x, __global float *restrict y, const int n)
{
    #pragma unroll 16
    for (int i = 0; i < n; i++) {
        if (x[i] > 1.0f)
            y[2 * i] = x[i];
        if (x[i] < 0.0f)
            y[2 * i + 1] = -x[i];
    }
}
