// Index of the element of largest magnitude: one long load, one store at the very end.

#define LANES 16

__kernel void iamax(__global const float *restrict x, __global int *restrict result, const int n)
{
    float largest = -1.0f;
    int where = 0;
    for (int i = 0; i < n; i += LANES) {
        float best = -1.0f;
        int lane = 0;
        #pragma unroll
        for (int k = 0; k < LANES; k++) {
            const float magnitude = fabs(x[i + k]);
            if (magnitude > best) {
                best = magnitude;
                lane = k;
            }
        }
        if (best > largest) {
            largest = best;
            where = i + lane;
        }
    }
    result[0] = where;
}
