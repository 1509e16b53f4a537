// burstline: global_size=(1024,1024) local_size=(16,16) w=1024
__kernel void blur(__global const float *restrict in, __global float *restrict out, const int w)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    #pragma unroll
    for (int r = 0; r < 5; r++)
        #pragma unroll
        for (int c = 0; c < 5; c++)
            sum += in[(y + r) * w + x + 2 * c];
    out[y * w + x] = sum;
}
