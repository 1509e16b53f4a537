// burstline: global_size=(1024,1024) local_size=(16,16) w=1024 h=1024
__kernel void transpose(__global const float *restrict in, __global float *restrict out, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    out[x * h + y] = in[y * w + x];
}
