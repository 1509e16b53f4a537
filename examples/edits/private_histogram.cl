// burstline: n=1048576
__kernel void count(__global const uchar *restrict data, __global int *restrict bins, const int n)
{
    for (int i = 0; i < n; i++)
        bins[data[i]]++;
}
