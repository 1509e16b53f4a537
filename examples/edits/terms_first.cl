// burstline: n=1048576
__kernel void total(__global const int *restrict x, __global int *restrict y, const int n)
{
    int product = 1;
    for (int i = 0; i < n; i++)
        product = product * x[4 * i] * x[4 * i + 1] * x[4 * i + 2];
    y[0] = product;
}
