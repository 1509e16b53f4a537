// burstline: global_size=(1048576) local_size=(64)
__kernel void scale(__global const float *restrict x, __global float *restrict y)
{
    const int i = get_global_id(0);
    y[i] = 2.0f * x[i];
}
