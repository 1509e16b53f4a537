// A histogram kept on chip: one long load, the few bins stored at the very end.

#define LANES 16
#define BINS 256

__kernel void histogram(__global const uint *restrict words, __global uint *restrict bins, const int n)
{
    uint counts[BINS];
    for (int b = 0; b < BINS; b++)
        counts[b] = 0;
    for (int i = 0; i < n; i += LANES) {
        #pragma unroll
        for (int k = 0; k < LANES; k++)
            counts[words[i + k] & (BINS - 1)]++;
    }
    for (int b = 0; b < BINS; b++)
        bins[b] = counts[b];
}
