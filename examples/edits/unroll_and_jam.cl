// burstline: n=1024
__kernel void product(__global const float *restrict a, __global const float *restrict b, __global float *restrict c,
                      const int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            #pragma unroll 16
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[j * n + k];
            c[i * n + j] = sum;
        }
}
