// burstline: n=1048576
__kernel void smooth(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 3; i < n; i++)
        y[i] = 0.5f * y[i - 3] + x[i];
}
