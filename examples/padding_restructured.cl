// burstline: board=s10gx rows=4096 columns=4096 pad=1
// Rows widened by a column of zeros, whole requests without a condition: the matrix is zeroed first.
channel float16 vectors __attribute__((depth(32)));

__attribute__((max_global_work_dim(0)))
__kernel void zero_rows(__global float16 *restrict matrix, const int rows, const int columns, const int pad)
{
    const int size = rows * (columns + pad) / 16;
    for (int i = 0; i < size; i++)
        matrix[i] = 0.0f;
}

__attribute__((max_global_work_dim(0)))
__kernel void send_rows(__global const float16 *restrict narrow, const int rows, const int columns)
{
    const int size = rows * (columns / 16);
    for (int i = 0; i < size; i++)
        write_channel_intel(vectors, narrow[i]);
}

__attribute__((max_global_work_dim(0)))
__kernel void pad_rows(__global float *restrict matrix, const int rows, const int columns, const int pad)
{
    for (int row = 0; row < rows; row++)
        for (int j = 0; j < columns / 16; j++) {
            const float16 values = read_channel_intel(vectors);
            float each[16];
            vstore16(values, 0, each);
            #pragma unroll
            for (int k = 0; k < 16; k++)
                matrix[row * (columns + pad) + 16 * j + k] = each[k];
        }
}
