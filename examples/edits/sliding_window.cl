// burstline: n=1048576
__kernel void smooth(__global const double *restrict x, __global double *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 2.0 * x[i + 3] + 4.0 * x[i + 7] + 8.0 * x[i + 12] + 16.0 * x[i + 17];
}
