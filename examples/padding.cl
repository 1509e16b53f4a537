// burstline: board=s10gx rows=4096 columns=4096 pad=1
// Rows widened by a column of zeros: one kernel sends the elements, the other puts them or a zero, four bytes at a time.
channel float elements __attribute__((depth(32)));

__attribute__((max_global_work_dim(0)))
__kernel void send_rows(__global const float *restrict narrow, const int rows, const int columns)
{
    for (int i = rows * columns - 1; i >= 0; i--)
        write_channel_intel(elements, narrow[i]);
}

__attribute__((max_global_work_dim(0)))
__kernel void pad_rows(__global float *restrict matrix, const int rows, const int columns, const int pad)
{
    const int size = rows * (columns + pad);
    for (int i = size - 1; i >= 0; i--) {
        if (i % (columns + pad) < columns)
            matrix[i] = read_channel_intel(elements);
        else
            matrix[i] = 0.0f;
    }
}
