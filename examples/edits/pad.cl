// burstline: n=16777216
__kernel void shift(__global const float *restrict x, __global const float *restrict z, __global float *restrict y,
                    const int n)
{
    #pragma unroll 16
    for (int i = 0; i < n; i++)
        y[i] = x[i + 3] + x[i + 11] * z[i];
}
