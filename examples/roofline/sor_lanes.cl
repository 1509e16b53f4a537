// Successive over-relaxation in a box of 64³ cells: the seven cells around each come from a window on the chip, so that
// four streams go through the memory. LANES cells side by side are as many of TYTRA's processing elements.
// burstline: board=de5net
#ifndef LANES
#define LANES 1
#endif
#define WIDE 64
#define PLANE (WIDE * WIDE)
#define CELLS (64 * PLANE)
#define WINDOW (2 * PLANE + LANES)

__kernel void sor_lanes(__global const float *restrict p, __global const float *restrict rhs,
                        __global const float *restrict cn1, __global float *restrict out,
                        float omega, float cn2l, float cn2s, float cn3l, float cn3s, float cn4l, float cn4s)
{
    float window[WINDOW];
    #pragma unroll
    for (int k = 0; k < WINDOW; k++)
        window[k] = 0.0f;

    for (int i = 0; i < (CELLS + PLANE) / LANES; i++) {
        #pragma unroll
        for (int k = 0; k < WINDOW - LANES; k++)
            window[k] = window[k + LANES];
        #pragma unroll
        for (int k = 0; k < LANES; k++)
            window[WINDOW - LANES + k] = i * LANES + k < CELLS ? p[i * LANES + k] : 0.0f;

        int first = i * LANES - PLANE;
        if (first >= 0) {
            #pragma unroll
            for (int k = 0; k < LANES; k++) {
                float here = window[PLANE + k];
                float around = cn2l * window[PLANE + k + 1] + cn2s * window[PLANE + k - 1]
                             + cn3l * window[PLANE + k + WIDE] + cn3s * window[PLANE + k - WIDE]
                             + cn4l * window[2 * PLANE + k] + cn4s * window[k];
                out[first + k] = omega * (cn1[first + k] * around - rhs[first + k] - here) + here;
            }
        }
    }
}
