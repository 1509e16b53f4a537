// A histogram kept on chip: one long load, the few bins stored at the very end. Each lane has bins of its own.

#define LANES 16
#define BINS 256

__kernel void histogram(__global const uint *restrict words, __global uint *restrict bins, const int n)
{
    uint counts[LANES][BINS];
    for (int b = 0; b < BINS; b++) {
        #pragma unroll
        for (int own = 0; own < LANES; own++)
            counts[own][b] = 0;
    }
    for (int i = 0; i < n; i += LANES) {
        #pragma unroll
        for (int k = 0; k < LANES; k++)
            counts[k][words[i + k] & (BINS - 1)]++;
    }
    for (int b = 0; b < BINS; b++) {
        uint sum = 0;
        #pragma unroll
        for (int one = 0; one < LANES; one++)
            sum += counts[one][b];
        bins[b] = sum;
    }
}
