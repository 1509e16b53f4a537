// burstline: global_size=(1024,1024) w=1024
__kernel void scale(__global const float *restrict in, __global float *restrict out, const int w)
{
    const int row = get_global_id(0), column = get_global_id(1);
    out[row * w + column] = 2.0f * in[row * w + column];
}
