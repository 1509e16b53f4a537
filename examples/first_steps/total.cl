// The sum of all values: an atomic on global memory for each of them.
__kernel void total(__global const int *restrict values, __global int *restrict sum, const int n)
{
    for (int i = 0; i < n; i++)
        atomic_add(&sum[0], values[i]);
}
