// burstline: global_size=(1048576) local_size=(64)
__kernel void steps(__global const int *restrict x, __global int *restrict y, const int n)
{
    const int i = get_global_id(0);
    int v = x[i], taken = 0;
    while (v > 1) { // burstline: trip=100
        v = v & 1 ? 3 * v + 1 : v / 2;
        taken++;
    }
    y[i] = taken;
}
