// burstline: n=1048576
__kernel void total(__global const double *restrict x, __global double *restrict y, const int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = sum;
}
