// Running sum of a long vector, sixteen words in and out each iteration.

#define LANES 16

__kernel void prefix_sum(__global const int *restrict values, __global int *restrict sums, const int n)
{
    int before = 0;
    for (int base = 0; base < n; base += LANES) {
        int running[LANES];
        int sum = before;
        #pragma unroll
        for (int k = 0; k < LANES; k++) {
            sum += values[base + k];
            running[k] = sum;
        }
        #pragma unroll
        for (int k = 0; k < LANES; k++)
            sums[base + k] = running[k];
        before = sum;
    }
}
