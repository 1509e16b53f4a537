// burstline: n=1048576
__kernel void translate(__global const uchar *restrict text, __global const int *restrict table,
                        __global int *restrict out, const int n)
{
    for (int i = 0; i < n; i++)
        out[i] = table[text[i]];
}
