// Dot product: two long loads, one store at the very end.

#define LANES 16

__kernel void dot_product(__global const float *restrict x,
                          __global const float *restrict y,
                          __global float *restrict result,
                          const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i += LANES) {
        float part = 0.0f;
        #pragma unroll
        for (int k = 0; k < LANES; k++)
            part += x[i + k] * y[i + k];
        sum += part;
    }
    result[0] = sum;
}
