// burstline: n=16 m=1048576
__kernel void totals(__global const float *restrict a, __global float *restrict y, const int m, const int n)
{
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += a[i * 16 + j];
        y[i] = sum;
    }
}
