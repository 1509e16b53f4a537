// burstline: global_size=(1048576)
__kernel void match(__global const float *restrict rows, __global const float *restrict w, __global float *restrict y)
{
    const int i = get_global_id(0);
    float best = 0.0f;
    for (int r = 0; r < 100; r++) {
        float sum = 0.0f;
        for (int j = 0; j < 16; j++)
            sum += rows[i * 16 + j] * w[r * 16 + j];
        best = fmax(best, sum);
    }
    y[i] = best;
}
