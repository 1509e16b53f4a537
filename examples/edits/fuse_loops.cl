// burstline: n=1048576
__kernel void both(__global const float *restrict a, __global float *restrict b, __global float *restrict c, const int n)
{
    for (int i = 0; i < n; i++)
        b[i] = 2.0f * a[i];
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
