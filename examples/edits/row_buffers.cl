// burstline: rows=4096
#define W 1024
__kernel void smooth(__global const float *restrict in, __global float *restrict out, const int rows)
{
    for (int r = 1; r < rows - 1; r++)
        for (int c = 1; c < W - 1; c++)
            out[r * W + c] = in[(r - 1) * W + c] + in[r * W + c - 1] + in[r * W + c + 1] + in[(r + 1) * W + c];
}
