// burstline: board=s10mx_hbm2 n=1048576
__kernel void add(__global const float *restrict x, __global const float *restrict y, __global float *restrict z,
                  const int n)
{
    #pragma unroll 8
    for (int i = 0; i < n; i++)
        z[i] = x[i] + y[i];
}
