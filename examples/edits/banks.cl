// burstline: board=p520 n=1048576
__kernel void add(__global const float *restrict x, __global const float *restrict y, __global float *restrict z,
                  const int n)
{
    #pragma unroll 16
    for (int i = 0; i < n; i++)
        z[i] = x[i] + y[i];
}
