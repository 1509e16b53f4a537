// Three points in a row, in a loop of one work-item: two of the three loads were loaded an iteration before.
__kernel void stencil(__global const float *restrict in, __global float *restrict out, const int n)
{
    for (int i = 1; i < n - 1; i++)
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}
