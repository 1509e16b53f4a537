// burstline: global_size=(65536) n=64
__kernel void rows(__global const float *x, __global float *y, const int n)
{
    const int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        y[i] += x[i * 64 + j];
}
