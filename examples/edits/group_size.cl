// burstline: global_size=(1048576) local_size=(128)
__kernel void turn(__global const float *restrict x, __global float *restrict y)
{
    __local float tile[128];
    const int i = get_local_id(0);
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = tile[127 - i];
}
