// burstline: n=1048576
__kernel void scale(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 2.0f * x[i];
}
