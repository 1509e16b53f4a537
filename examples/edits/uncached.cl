// burstline: n=16
__kernel void scale(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            y[i * 64 + j] = 2.0f * x[i * 64 + j];
}
