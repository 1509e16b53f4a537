// burstline: global_size=(1048576) local_size=(64)
__kernel void count(__global const uchar *restrict data, __global uint *restrict bins)
{
    const int i = get_global_id(0);
    for (int j = 0; j < 256; j++)
        atomic_inc(&bins[data[i * 256 + j]]);
}
