// burstline: global_size=(1048576) local_size=(64) n=1024
__kernel void totals(__global const float *restrict x, __global float *restrict y, const int n)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += x[i * n + j];
    y[i] = sum;
}
