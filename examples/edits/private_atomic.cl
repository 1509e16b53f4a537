// burstline: n=1048576
__kernel void total(__global const int *restrict x, __global int *restrict sum, const int n)
{
    for (int i = 0; i < n; i++)
        atomic_add(&sum[0], x[i]);
}
