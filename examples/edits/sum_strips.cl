// burstline: n=1048576
__kernel void total(__global const float *restrict x, __global float *restrict y, const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = sum;
}
