// burstline: n=1048576
__kernel void lengths(__global const ushort *restrict words, __global uint *restrict out, const int n)
{
    uint found[128];
    for (int k = 0; k < 128; k++)
        found[k] = 0;
    for (int i = 0; i < n; i++)
        found[words[i] >> 9]++;
    for (int k = 0; k < 128; k++)
        out[k] = found[k];
}
