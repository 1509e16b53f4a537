// burstline: n=1048576
__kernel void gather(__global const int *restrict at, __global const float *restrict x, __global const float *restrict y,
                     __global float *restrict z, const int n)
{
    for (int i = 0; i < n; i++)
        z[i] = x[at[i]] * y[at[i]];
}
