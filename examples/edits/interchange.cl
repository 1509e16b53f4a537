// burstline: n=4096
__kernel void scale(__global float *restrict a, const int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[i * n + j] = 2.0f * a[i * n + j];
}
