// The matrix product as one writes it first: each work-item one element of c.
__kernel void matmul(__global const float *restrict a, __global const float *restrict b,
                     __global float *restrict c, const int n)
{
    const int row = get_global_id(1);
    const int column = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
