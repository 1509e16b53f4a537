// Successive over-relaxation of a pressure field in planes of 15×10 cells, in integers, one step: a single work-item
// reads each cell once and keeps two planes and a cell in a window.
// burstline: board=de5net
#define ROW 15
#define PLANE (10 * ROW)
#ifndef CELLS
#define CELLS PLANE
#endif
#define WINDOW (2 * PLANE + 1)

__kernel void sor_window(__global const int *restrict p, __global const int *restrict rhs, __global int *restrict out)
{
    int window[WINDOW];
    #pragma unroll
    for (int k = 0; k < WINDOW; k++)
        window[k] = 0;

    for (int i = 0; i < CELLS + PLANE; i++) {
        #pragma unroll
        for (int k = 0; k < WINDOW - 1; k++)
            window[k] = window[k + 1];
        window[WINDOW - 1] = i < CELLS ? p[i] : 0;

        int cell = i - PLANE;
        if (cell >= 0) {
            int here = window[PLANE];
            int around = 3 * window[PLANE + 1] + 2 * window[PLANE - 1]
                       + 3 * window[PLANE + ROW] + 2 * window[PLANE - ROW]
                       + 3 * window[2 * PLANE] + 2 * window[0];
            int delta = ((around >> 4) - rhs[cell]) - here;
            out[cell] = here + delta;
        }
    }
}
